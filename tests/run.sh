#!/usr/bin/env bash
# Installs missing packages, builds, and runs all tests: bash tests/run.sh [--preset NAME] [CTEST OPTIONS]
#   bash tests/run.sh                   the release build, every test
#   bash tests/run.sh --preset dev      with address and undefined-behaviour sanitizers
#   bash tests/run.sh -L gradcheck      only the tests of one label
# Exits 0 when all tests pass, 1 when a build or a test fails, 2 when packages cannot be installed.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
. experiments/setup.sh

preset=release
if [ "${1:-}" = --preset ]; then
  preset=${2:?--preset needs the name of a preset, such as release or dev}
  shift 2
fi

packages+=("${test_packages[@]}")
install_packages
build "$preset"
say "running the tests of build/$preset (built after $SECONDS s)"
# One more than there are processors: some tests wait, for a browser or a server.
ctest --preset "$preset" -j "$(($(nproc) + 1))" "$@" </dev/null | grep -avE '^ +Start +[0-9]+: '
status=${PIPESTATUS[0]}
if [ "$status" -eq 0 ]; then
  say "PASSED after $SECONDS s"
else
  say "FAILED after $SECONDS s: the tests that are listed above; their output is in build/$preset/Testing/Temporary/LastTest.log"
  exit 1
fi

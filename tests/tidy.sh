#!/usr/bin/env bash
# Static analysis with .clang-tidy: bash tests/tidy.sh [FILE.cpp ...]; without files, all sources.
# Not part of tests/run.sh: it takes longer than everything else together.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
build=${BUILD:-build/dev}  # not the release build: clang cannot read headers that g++ precompiled

if ! command -v clang-tidy >/dev/null; then
  echo "clang-tidy is missing; as root, run: apt-get install -y clang-tidy" >&2
  exit 2
fi
[ -f "$build/compile_commands.json" ] || cmake --preset dev >/dev/null || exit 1
if [ $# -eq 0 ]; then
  mapfile -t files < <(grep -o '"file": "[^"]*' "$build/compile_commands.json" | cut -d'"' -f4 | sort -u)
else
  files=("$@")
fi
# A precise -march of a new processor, or a gcc flag, may be unknown to clang 14: not our subject.
printf '%s\0' "${files[@]}" |
  xargs -0 -n 1 -P "$(nproc)" clang-tidy --quiet -p "$build" \
    --extra-arg=-Wno-unknown-warning-option 2> >(grep -v 'warnings\? generated\|^$' >&2)

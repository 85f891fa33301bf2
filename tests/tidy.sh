#!/usr/bin/env bash
# Static analysis with .clang-tidy, of the given files or of all sources outside tests: bash tests/tidy.sh [FILE.cpp ...]
# It is not part of tests/run.sh, because it takes as long as everything else together.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
build=${BUILD:-build/dev}  # not the release build: clang cannot read headers that g++ precompiled

if ! command -v clang-tidy >/dev/null; then
  echo "clang-tidy is missing; as root, run: apt-get install -y clang-tidy" >&2
  exit 2
fi
[ -f "$build/compile_commands.json" ] || cmake --preset dev >/dev/null || exit 1
if [ $# -eq 0 ]; then
  # Without those that are compiled again in double precision.
  mapfile -t files < <(awk '/"command":/ { double = /-o [^ ]*_f64\.dir\// } /"file":/ && !double' "$build/compile_commands.json" |
    cut -d'"' -f4 | grep -v /tests/ | sort -u)
else
  files=("$@")
fi
# clang 14 may not know the -march of a new processor or a flag of gcc, which does not matter here.
printf '%s\0' "${files[@]}" |
  xargs -0 -n 1 -P "$(nproc)" clang-tidy --quiet -p "$build" \
    --extra-arg=-Wno-unknown-warning-option 2> >(grep -v 'warnings\? generated\|^$' >&2)

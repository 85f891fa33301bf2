#!/usr/bin/env bash
# Checks that all sources are formatted as .clang-format says. With --fix it formats them instead:
#   bash tests/style/format.sh [--fix]
# Exits with 77 (skipped) if clang-format 14 is missing, because other versions format differently.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1

clang_format=$(command -v clang-format-14 || command -v clang-format)
if [ -z "$clang_format" ] || ! "$clang_format" --version | grep -q 'version 14\.'; then
  echo "skipped: clang-format 14 is not installed (apt-get install clang-format)"
  exit 77
fi
mode=(--dry-run -Werror)
[ "${1:-}" = --fix ] && mode=(-i)
find core vision captioning experiments tests \( -name '*.h' -o -name '*.cpp' \) -print0 |
  xargs -0 -r -n 40 -P "$(nproc)" "$clang_format" "${mode[@]}"

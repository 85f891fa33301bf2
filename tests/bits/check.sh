#!/usr/bin/env bash
# Compares the fingerprints of the program with those that stand in this folder for machines of the same kind, because
# processors and versions of the libraries differ in the last bits:
#   bash tests/bits/check.sh PROGRAM            exits with 1 where results changed, and 77 on a machine that is not known
#   bash tests/bits/check.sh PROGRAM --write    writes those of this machine, after a change that was meant to change them
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
processor=$(sort -u <(grep -E '^(model name|flags)' /proc/cpuinfo) | sha256sum | cut -c1-8)
libraries=$(dpkg-query -W -f '${Package} ${Version}\n' libdnnl2 libopencv-core406 libeigen3-dev g++ 2>/dev/null |
  sha256sum | cut -c1-8)
known=$here/$processor-$libraries.txt
if [ "${2:-}" = --write ]; then
  bash "$here/fingerprints.sh" "$1" >"$known"
  echo "wrote $known"
elif [ -e "$known" ]; then
  bash "$here/fingerprints.sh" "$1" | diff "$known" -
else
  echo "skipped: no fingerprints of this processor with these libraries (tests/bits/check.sh PROGRAM --write makes them)"
  exit 77
fi

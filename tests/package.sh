#!/usr/bin/env bash
# Builds the Debian package for x86-64-v3, unpacks it, and runs what is in it: bash tests/package.sh
# It needs the packages that tests/run.sh installs, and dpkg-dev.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. experiments/setup.sh
fail() { echo "FAILED: $*" >&2; exit 1; }

build package
quietly build/package/cpack.log cpack --preset package
package=$(ls -t build/package/saccade_*.deb | head -n 1)
say "$package"
dpkg-deb --info "$package" | sed -n 's/^ \(Depends\|Installed-Size\)/\1/p'
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
dpkg-deb -x "$package" "$root"

# Every library that the files link belongs to a package that Depends names.
depends=$(dpkg-deb --field "$package" Depends)
for file in "$root"/usr/bin/saccade "$root"/usr/lib/*/libsaccade.so.*.*.*; do
  ldd "$file" | grep 'not found' && fail "$file needs what is missing"
  for library in $(objdump -p "$file" | sed -n 's/^ *NEEDED *//p'); do
    owner=$(dpkg-query --search "*/$library" 2>/dev/null | head -n 1 | cut -d: -f1)
    grep -qE "(^|[ ,|])$owner( |,|$)" <<<"$depends" || fail "Depends lacks $owner, which has $library"
  done
  objdump --disassemble --no-show-raw-insn "$file" | grep -q '%zmm\|%k[1-7]' && fail "$file has AVX-512 instructions"
  readelf -d "$file" | grep -q 'RPATH\|RUNPATH' && fail "$file has a run path"
done

# The program runs from where it was unpacked.
cd "$root"
usr/bin/saccade --version | head -n 1
usr/bin/saccade train usr/share/saccade/configs/quickstart.yaml --out run --fast-dev-run --report-images 0 2>/dev/null
usr/bin/saccade data usr/share/saccade/configs/quickstart.yaml --out sheets data.scenes.train=20 data.scenes.test=8 >/dev/null
usr/bin/saccade caption run sheets/test.png
say "PASSED"

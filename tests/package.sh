#!/usr/bin/env bash
# Builds the Debian packages for x86-64-v3, unpacks them, and runs what is in them: bash tests/package.sh
# With --bare it also installs the packages into a new Debian 12 that has nothing else, and builds the examples there;
# this needs root and a mirror of Debian (the one of this system's apt, or MIRROR).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. experiments/setup.sh
fail() { echo "FAILED: $*" >&2; exit 1; }

packages+=(dpkg-dev python3-dev pybind11-dev python3-numpy)
[ "${1:-}" != --bare ] || packages+=(debootstrap)
install_packages
build package
quietly build/package/cpack.log cpack --preset package
package=$PWD/$(ls -t build/package/saccade_*.deb | head -n 1)
say "$package"
dpkg-deb --info "$package" | sed -n 's/^ \(Depends\|Installed-Size\)/\1/p'
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
dpkg-deb -x "$package" "$root"
python_package=$PWD/$(ls -t build/package/python3-saccade_*.deb | head -n 1)
dpkg-deb --info "$python_package" | sed -n 's/^ Depends/&/p' | grep -q "saccade (= .*python3-numpy" ||
  fail "python3-saccade depends on neither the library nor NumPy"
dpkg-deb -x "$python_package" "$root"
[ -e "$root/usr/lib/python3/dist-packages/saccade/lib" ] && fail "python3-saccade has libraries of its own"

# Every library that the files link belongs to a package that Depends names.
depends=$(dpkg-deb --field "$package" Depends)
for file in "$root"/usr/bin/saccade "$root"/usr/libexec/saccade/* "$root"/usr/lib/*/libsaccade*.so.*.*.*; do
  ldd "$file" | grep 'not found' && fail "$file needs what is missing"
  for library in $(objdump -p "$file" | sed -n 's/^ *NEEDED *//p'); do
    # The folder tells packages of one library for several architectures apart.
    place=$(ldd "$file" | awk -v library="$library" '$1 == library { print $3 }')
    [ -n "$place" ] || continue  # the loader itself, of libc6
    owner=$(dpkg-query --search "*/$(basename "$(dirname "$place")")/$library" 2>/dev/null | head -n 1 | cut -d: -f1) ||
      fail "no package has $place"
    # By its name, or by one that it provides, such as libspdlog1.10-fmt9.
    names="$owner $(dpkg-query --show --showformat='${Provides}' "$owner" | sed 's/([^)]*)//g; s/,/ /g')"
    found=
    for name in $names; do [[ " ${depends//,/ } " != *" $name "* ]] || found=$name; done
    [ -n "$found" ] || fail "Depends lacks $owner, which has $library"
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
# It finds its own models: those of the package, and one that is put beside them.
[ -f usr/share/saccade/models/README.md ] || fail "the package has no folder of models"
for model in usr/share/saccade/models/*.h5; do
  [ ! -e "$model" ] || usr/bin/saccade caption "$(basename "$model" .h5)" sheets/test.png
done
usr/bin/saccade convert run usr/share/saccade/models/own.h5 --half >/dev/null
(cd / && "$root/usr/bin/saccade" caption own "$root/sheets/test.png")

# Python finds the library of the package, its program and its models.
speak='import numpy, saccade, saccade.metrics
caption = saccade.load("soft").caption(numpy.zeros((64, 64, 3), numpy.uint8))
assert caption.words and saccade.runs("/etc") == [] and "<iframe" in caption._repr_html_(), caption
print("Python:", caption)'
(cd / && PATH=$root/usr/bin:$PATH LD_LIBRARY_PATH=$(echo "$root"/usr/lib/*-linux-gnu) PYTHONDONTWRITEBYTECODE=1 \
  PYTHONPATH=$root/usr/lib/python3/dist-packages${PYTHONPATH:+:$PYTHONPATH} /usr/bin/python3 -c "$speak")

if [ "${1:-}" = --bare ]; then
  say "a bare Debian 12"
  bare=$(mktemp -d)
  mirror=${MIRROR:-$(apt-get indextargets --format '$(REPO_URI)' 'Codename: bookworm' | head -n 1)}
  trap 'umount "$bare/proc" 2>/dev/null; rm -rf "$root" "$bare"' EXIT
  quietly "$bare.log" debootstrap --variant=minbase bookworm "$bare" $mirror
  cp /etc/resolv.conf "$bare/etc/"
  cp -r /etc/apt/apt.conf.d "$bare/etc/apt/"
  cp "$package" "$bare/saccade.deb"
  cp "$python_package" "$bare/python3-saccade.deb"
  mount -t proc proc "$bare/proc"
  inside() { chroot "$bare" env DEBIAN_FRONTEND=noninteractive HOME=/root "$@"; }
  time quietly "$bare.log" inside apt-get install -y --no-install-recommends /saccade.deb
  inside saccade --version | head -n 1
  quietly "$bare.log" inside apt-get install -y --no-install-recommends /python3-saccade.deb
  (cd / && inside python3 -c "$speak")
  inside saccade train /usr/share/saccade/configs/quickstart.yaml --out /run1 --fast-dev-run --report-images 0 2>/dev/null
  inside saccade data /usr/share/saccade/configs/quickstart.yaml --out /sheets data.scenes.train=20 data.scenes.test=8 >/dev/null
  inside saccade caption /run1 /sheets/test.png
  # The examples, against the library and the headers of the package.
  quietly "$bare.log" inside apt-get install -y --no-install-recommends g++ cmake make
  quietly "$bare.log" inside cmake -S /usr/share/doc/saccade/examples -B /examples
  quietly "$bare.log" inside cmake --build /examples
  cat >"$bare/tiny.yaml" <<'EOF'
base: /usr/share/saccade/configs/quickstart.yaml
data: {scenes: {train: 200, val: 8, test: 8}}
optimizer: {warmup: 5}
train: {stop: 30u, validate_every: 30u}
EOF
  inside /examples/train_and_caption /tiny.yaml /run2 /sheets/test.png /examples/libown_attention.so attention.score=mine.tanh | tail -n 1
  inside /examples/caption_and_draw /run1 /sheets/test.png /drawing.png
  inside /examples/score_captions
  rm -f "$bare.log"
fi
say "PASSED"

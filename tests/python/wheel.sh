#!/usr/bin/env bash
# The wheel of the whole package from nothing: bash tests/python/wheel.sh FOLDER. Clones the last commit, builds the wheel
# there (which takes as long as the project's build), installs it into an empty environment, and runs the tests of Python
# there. As root they see neither the compilers' headers nor those libraries of the system that the wheel carries.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
mkdir -p "$1"
folder=$(cd "$1" && pwd)
. "$here/environment.sh"

python3 -m venv "$folder/pip" >"$folder/wheel.log" 2>&1 || skip "python3-venv is missing ($folder/wheel.log)"
rm -rf "$folder/clone" "$folder/wheels"
git clone -q "$here/../.." "$folder/clone"
"$folder/pip/bin/pip" --disable-pip-version-check wheel --no-deps -C build-dir="$folder/build" -w "$folder/wheels" \
  "$folder/clone/captioning/python/saccade" >>"$folder/wheel.log" 2>&1 || {
  tail -n 40 "$folder/wheel.log" >&2
  fail "the wheel is not built"
}
wheel=$(ls "$folder"/wheels/saccade-*.whl)
environment bare numpy pillow
"$folder/bare/bin/pip" --disable-pip-version-check install --no-index --no-deps --force-reinstall "$wheel" >>"$folder/wheel.log"
c++ -std=c++20 -shared -fPIC -I "$folder/build/include" "$here/../../experiments/examples/own_attention.cpp" -o "$folder/libmine.so"
export SACCADE_PHOTOS=$here/../../experiments/photos SACCADE_GOLDEN=$here/../golden/captions
export SACCADE_TEST_PLUGIN=$folder/libmine.so SACCADE_PARAPHRASES=none PYTHONDONTWRITEBYTECODE=1
unset SACCADE_PROGRAM SACCADE_MODELS LD_LIBRARY_PATH PYTHONPATH

tests() {
  cd /
  "$folder/bare/bin/saccade" --version | head -n 1
  "$folder/bare/bin/saccade" caption soft "$SACCADE_PHOTOS/dogs.jpg"
  local part
  for part in module training metrics; do
    PATH=/usr/bin:/bin "$folder/bare/bin/python" "$here/${part}_test.py" || fail "${part}_test.py"
  done
}
# Hides the headers, and the libraries of the wheel that Python and what it needs do not need themselves.
hide() {
  local library
  mount -t tmpfs none /usr/include
  for library in "$folder"/bare/lib/python*/site-packages/saccade/lib/lib{opencv,dnnl,hdf5,yaml,tbb,jpeg,png,tiff,webp,cairo,onnx,protobuf}*; do
    for library in $(find /usr/lib /lib -name "$(basename "$library")" 2>/dev/null); do
      mount --bind /dev/null "$(readlink -f "$library")"
    done
  done
}
if [ "$(id -u)" -eq 0 ] && unshare -m true 2>/dev/null; then
  export folder here
  export -f tests hide fail
  unshare -m bash -euo pipefail -c 'hide; tests'
else
  tests
fi
echo "wheel of $(($(stat -c %s "$wheel") / 1000000)) MB"

#!/usr/bin/env bash
# The Python package saccade: bash tests/python/module.sh BUILD FOLDER. Builds its modules against the library of the
# build tree BUILD, installs the package into FOLDER, which also keeps the environment, checks its types, builds a plugin
# with the headers of the build tree, and runs module_test.py and training_test.py.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=$(cd "$1" && pwd)
mkdir -p "$2"
folder=$(cd "$2" && pwd)
. "$here/environment.sh"

[ -e "$build/libsaccade.so" ] || fail "$build has no libsaccade.so"
headers=$(python3 -c 'import sysconfig; print(sysconfig.get_path("include"))')
[ -e "$headers/Python.h" ] || skip "python3-dev is missing"
environment module-tools pybind11 mypy numpy pillow
python=$folder/module-tools/bin/python
run() { "$@" >"$folder/module.log" 2>&1 || { tail -n 40 "$folder/module.log" >&2; fail "$*"; }; }
run cmake -G Ninja -S "$here/../../captioning/python/saccade" -B "$folder/module" -DSACCADE_BUILD="$build" \
  -DCMAKE_UNITY_BUILD=ON -DCMAKE_INTERPROCEDURAL_OPTIMIZATION=OFF \
  -DPython_EXECUTABLE="$python" -Dpybind11_DIR="$("$python" -m pybind11 --cmakedir)"
run cmake --build "$folder/module"
rm -rf "$folder/package"
run cmake --install "$folder/module" --component python --prefix "$folder/package"
export PYTHONPATH=$folder/package SACCADE_PROGRAM=$build/saccade SACCADE_PARAPHRASES=none PYTHONDONTWRITEBYTECODE=1
mypy() { (cd "$folder/package" && "$folder/module-tools/bin/mypy" --strict "$@"); }
mypy -p saccade || fail "the types of saccade"
typed='import numpy as np, saccade
m = saccade.load("soft")
one: str = m.caption("photo.jpg", beam=5).text
many: list[saccade.Caption] = m.caption(["a.jpg", b"", np.zeros((2, 2, 3), np.uint8)])
files: list[str] = ["a.jpg"]
unseen: list[saccade.Caption] = m.caption(features="all.npz")
texts: list[str] = [caption.text for caption in m.caption(files) + m.say(files, "a dog")]
shape: tuple[int, ...] = many[0].maps.shape
p: float = m.say("photo.jpg", "a dog").words[0].probability
done: float = saccade.train({}, "out", callback=lambda update: update["done"] < .5)["best"]["CIDEr"]
pairs: saccade.Examples = [(np.zeros((2, 2, 3), np.uint8), "a dog"), ("b.jpg", ["a cat", "cats"])]
def reward(captions: list[str], references: list[list[str]]) -> list[float]: return [1. for _ in captions]
saccade.train({}, "out", data=pairs, validation=pairs, reward=reward)
name: str = saccade.plugin("libmine.so")'
mypy -c "$typed" || fail "the types of its users"
! mypy -c "$typed; many.text" >/dev/null || fail "the types say nothing"
run c++ -std=c++20 -shared -fPIC -I "$build/include" "$here/../../experiments/examples/own_attention.cpp" \
  -o "$folder/libmine.so"
export SACCADE_TEST_PLUGIN=$folder/libmine.so SACCADE_PHOTOS=$here/../../experiments/photos
cd /
for part in module training; do
  "$python" -W error::DeprecationWarning "$here/${part}_test.py" || fail "${part}_test.py"
done

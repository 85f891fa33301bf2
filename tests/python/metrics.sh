#!/usr/bin/env bash
# The wheel of saccade.metrics: bash tests/python/metrics.sh wheel|reference FOLDER, which keeps the environments.
#   wheel      builds it, installs it into an empty environment, checks its types, and runs metrics_test.py there
#   reference  runs evaluate.py with pycocoevalcap and again with the import changed, and compares (needs Java;
#              SACCADE_REFERENCE_PYTHON may name a Python that has pycocoevalcap)
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
package=$here/../../captioning/python/metrics
part=$1
mkdir -p "$2"
folder=$(cd "$2" && pwd)
. "$here/environment.sh"

build_wheel() {
  environment tools scikit-build-core pybind11 ninja mypy numpy
  rm -rf "$folder/wheels"
  PATH=$folder/tools/bin:$PATH "$folder/tools/bin/pip" --disable-pip-version-check wheel --no-build-isolation --no-deps \
    -C build-dir="$folder/build" -C cmake.define.CMAKE_CXX_FLAGS_RELEASE="-O1 -DNDEBUG" \
    -C cmake.define.CMAKE_INTERPROCEDURAL_OPTIMIZATION=OFF \
    -w "$folder/wheels" "$package" >"$folder/wheel.log" 2>&1 ||
    { tail -n 40 "$folder/wheel.log" >&2; fail "the wheel is not built"; }
  wheel=$(ls "$folder"/wheels/saccade_metrics-*.whl)
}

if [ "$part" = wheel ]; then
  build_wheel
  size=$(stat -c %s "$wheel")
  [ "$size" -lt 5000000 ] || fail "the wheel has $size bytes"
  environment empty numpy
  python=$folder/empty/bin/python
  "$folder/empty/bin/pip" --disable-pip-version-check install --no-index --no-deps --force-reinstall "$wheel" \
    >"$folder/install.log" 2>&1 || { cat "$folder/install.log" >&2; fail "the wheel is not installed"; }
  place=$(cd / && "$python" -c 'import saccade.metrics as m; print(m.__path__[0])')
  [ ! -e "$place/../__init__.py" ] || fail "the wheel takes the name saccade for itself"
  ldd "$place"/_metrics*.so | grep "not found" && fail "the module needs what is missing"
  ldd "$place"/_metrics*.so | grep -E "opencv|hdf5|dnnl" && fail "the module needs what it does not use"
  strings "$place"/_metrics*.so | grep -qF "$here" && fail "the module holds the place where it was built"
  [ -n "$("$python" -m zipfile -l "$wheel" | grep -o 'LICENSE.wordnet')" ] || fail "the wheel lacks the licence of WordNet"
  (cd / && "$folder/tools/bin/mypy" --strict --python-executable "$python" -p saccade.metrics) ||
    fail "the types of saccade.metrics"
  typed='from saccade.metrics import Bleu, PTBTokenizer
words = PTBTokenizer().tokenize({1: ["A dog"]})
score: tuple[list[float], list[list[float]]] = Bleu(4).compute_score(words, {1: ["a cat"]}, verbose=0)'
  (cd / && "$folder/tools/bin/mypy" --strict --python-executable "$python" -c "$typed") || fail "the types of its users"
  ! (cd / && "$folder/tools/bin/mypy" --strict --python-executable "$python" -c "$typed; score[0].nothing") >/dev/null ||
    fail "the types say nothing"
  (cd / && SACCADE_GOLDEN=$here/../golden/captions "$python" -W error::DeprecationWarning "$here/metrics_test.py")
  echo "wheel of $((size / 1000)) kB"
  exit 0
fi

reference=${SACCADE_REFERENCE_PYTHON:-}
command -v java >/dev/null || skip "java is missing"
if [ -z "$reference" ]; then
  environment reference pycocoevalcap==1.2 setuptools
  reference=$folder/reference/bin/python
fi
"$reference" -c 'import pycocoevalcap, pycocotools' || skip "$reference has no pycocoevalcap"
[ -d "$folder/empty" ] || skip "the test of the wheel has not run"
installed=$(cd / && "$folder/empty/bin/python" -c 'import saccade.metrics as m; print(m.__path__[0])')
sed 's/pycocoevalcap/saccade.metrics/' "$here/evaluate.py" >"$folder/evaluate_saccade.py"
sets=("$here/../golden/captions/references.json" "$here/../golden/captions/results.json")
for name in fakecap human_loo perturbed mismatched; do
  known=${SACCADE_DATA:-/none}/metrics-gold/$name
  [ ! -f "$known.results.json" ] || sets+=("$known.annotations.json" "$known.results.json")
done
export XDG_CACHE_HOME=$folder/cache
unset SACCADE_PARAPHRASES
"$reference" "$here/evaluate.py" "$folder/theirs.json" "${sets[@]}"
PYTHONPATH=$installed/../.. "$reference" "$folder/evaluate_saccade.py" "$folder/ours.json" "${sets[@]}"
"$reference" "$here/compare_scores.py" "$folder/theirs.json" "$folder/ours.json"

# The listener of configs/digits.yaml: sounds are made, learned, captioned without pictures and on their
# spectrograms, and the times of its maps are measured. Skipped without espeak-ng or numpy.
tests=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
. "$(dirname "${BASH_SOURCE[0]}")/support.sh"
python=${SACCADE_REFERENCE_PYTHON:-python3}
if ! command -v espeak-ng >/dev/null || ! "$python" -c 'import numpy' 2>err; then
  echo "skipped: espeak-ng or numpy is missing"
  exit 77
fi

listen=$tests/golden/spoken_digits.py
expect 0 "$python" "$listen" digits --train 24 --val 4 --test 3
config=$tests/../configs/digits.yaml
expect 0 "$saccade" config check "$config" optimizer.warmup=1
wants ": no mistakes" out
for name in soft monotonic_hard; do
  [ "$name" = soft ] && options=() || options=(attention.scope=monotonic attention.selection=hard)
  expect 0 "$saccade" train "$config" --out "$name" optimizer.warmup=1 train.stop=3u train.validate_every=3u \
    "${options[@]}"
  wants "has features of 28 of 28 recordings" err
  expect 0 "$saccade" evaluate "$name" --no-ablations
  expect 0 "$saccade" caption "$name" --features digits/test --json
  mv out captions.json
  expect 0 "$python" "$listen" digits --captions captions.json
  wants '{"sounds": 3, ' out
  # What it writes has the times, too.
  expect 0 "$saccade" features "$name" --split test --out "$name-files"
  expect 0 "$saccade" caption "$name" --features "$name-files" --json
  cmp -s captions.json out || fail "features that were written have other captions"
  expect 0 "$saccade" overlay "$name" digits/pictures/test00000.png --features digits/test --out "$name-maps"
  expect 0 "$saccade" overlay "$name" --features digits/test/test00001.npz --out "$name-maps" --format svg
  expect 0 "$saccade" report "$name" --out "$name.html"
done

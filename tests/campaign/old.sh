# old.sh SACCADE JSON_VALUE: files that earlier versions wrote are read as before: checkpoints, one of them with
# the graph of an ONNX file, say the captions they said; a run goes on; a cache is read and not computed again.
# A version that changes a format adds files of its own (the config is old.yaml), and leaves these.
old=$(cd "$(dirname "${BASH_SOURCE[0]}")/old" && pwd)
. "$(dirname "${BASH_SOURCE[0]}")/../cli/support.sh"
cp "$old"/* .

for model in soft onnx; do
  expect 0 "$saccade" caption $model.h5 scene.png
  cmp -s out $model.txt || fail "$model.h5 says another caption"
  expect 0 "$saccade" inspect $model.h5
done

# A run of 200 updates goes on to 220, with each update once in its metrics.
tar xzf run.tar.gz
expect 0 "$saccade" train old.yaml --out run --report-images 0 --resume train.stop=220u --threads 1
[ "$(digest run | cut -d" " -f3)" = 220 ] || fail "the run did not go on to 220 updates"
twice=$(grep '"event":"update"' run/metrics.jsonl | grep -o '"update":[0-9]*' | sort | uniq -d)
[ -z "$twice" ] || fail "metrics.jsonl has twice: $twice"

mkdir cache && cp -- *.rows cache/
expect 0 "$saccade" train old.yaml --out cached --report-images 0 train.stop=2u train.validate_every=2u encoder.type=vit \
  encoder.positions=learned encoder.vit.width=8 encoder.vit.layers=1 encoder.vit.heads=2 encoder.vit.patch=8 \
  encoder.weights=vit.safetensors encoder.frozen_stages=-1 encoder.half=true encoder.cache=cache
[ "$(ls cache)" = "$(basename "$old"/*.rows)" ] || fail "another cache was made"
cmp -s cache/*.rows "$old"/*.rows || fail "the cache was changed"
grep -q "images take" err && fail "features were computed again"
exit 0

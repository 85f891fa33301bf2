# Training goes on from published captioners: as a whole or with frozen parts, with hard attention, and as a
# decoder for another encoder. The bits are the same on any number of threads and after an interruption.
. "$(dirname "${BASH_SOURCE[0]}")/support.sh"
golden=$(dirname "${BASH_SOURCE[0]}")/../golden/published/captioners
cp -r "$golden" hub
chmod -R u+w hub
mkdir photos
echo image,caption,split >captions.csv
i=0
while IFS= read -r caption; do
  i=$((i + 1))
  for photo in dogs cat owl parrot; do
    cp "$(dirname "${BASH_SOURCE[0]}")/../../experiments/photos/$photo.jpg" "photos/$photo$i.jpg"
    echo "$photo$i.jpg,$caption $photo,$([ $i -eq 3 ] && echo val || echo train)" >>captions.csv
  done
done <<'LINES'
a red square on a white ground
a blue circle above a green line
two yellow circles
LINES
own=(--photos photos --captions captions.csv)
short=(train.stop=10u train.validate_every=10u optimizer.warmup=0 optimizer.schedule=constant
  optimizer.final_lr=0 optimizer.lr=3e-3)
losses() { grep '"event":"update"' "$1/metrics.jsonl" | grep -o '"loss":[^,]*' | cut -d: -f2; }

for model in blip vit-gpt2 git; do
  expect 0 "$saccade" new $model "${own[@]}" --from hub/$model
  for text in "vocabulary: published" "init_from: hub/$model" "frozen_stages: 3" "type: transformer" "heads: 2"; do
    wants "$text" $model.yaml
  done
  expect 0 "$saccade" config check $model.yaml
  expect 0 "$saccade" data $model.yaml
  # The whole captioner learns.
  expect 0 "$saccade" train $model.yaml --out $model-1 "${short[@]}" encoder.frozen_stages=0 --threads 1 --report-images 0
  losses $model-1 | awk 'NR == 1 { first = $1 } { last = $1 } END { exit NR >= 5 && last < 0.85 * first ? 0 : 1 }' ||
    fail "$model does not learn"
  wanted=$(digest $model-1)
  for threads in 2 4; do
    expect 0 "$saccade" train $model.yaml --out $model-$threads "${short[@]}" encoder.frozen_stages=0 --threads $threads --report-images 0
    [ "$(digest $model-$threads)" = "$wanted" ] || fail "$model: the result differs with $threads threads"
  done
  expect 0 "$saccade" train $model.yaml --out $model-parts "${short[@]}" encoder.frozen_stages=0 train.stop=4u --report-images 0
  expect 0 "$saccade" train $model.yaml --out $model-parts "${short[@]}" encoder.frozen_stages=0 --resume --report-images 0
  [ "$(digest $model-parts)" = "$wanted" ] || fail "$model: the result of the resumed run differs"
  # Before the first update it is the published one.
  expect 0 "$saccade" train $model.yaml --out $model-0 "${short[@]}" train.stop=1u optimizer.lr=1e-30 --report-images 0
  expect 0 "$saccade" evaluate $model-0 --split val --out own.json
  expect 0 "$saccade" evaluate hub/$model --data $model.yaml --split val --set search.max_length="$(sed -n 's/.*  max_length: //p' $model.yaml | tail -1)" --out theirs.json
  cmp -s own.json theirs.json || fail "$model says something else before it learns"
  # The run stands alone.
  mv hub away
  expect 0 "$saccade" caption $model-1 photos/dogs1.jpg
  expect 0 "$saccade" overlay $model-1 photos/dogs1.jpg --out maps-$model --layer all --head all
  expect 0 "$saccade" evaluate $model-1 --split val
  mv away hub
done

# With frozen parts.
expect 0 "$saccade" train blip.yaml --out language "${short[@]}" decoder.frozen=language --report-images 0
losses language | awk 'NR == 1 { first = $1 } { last = $1 } END { exit last < first ? 0 : 1 }' ||
  fail "attention alone does not learn"
expect 2 "$saccade" train blip.yaml --out x decoder.frozen=language train.init_from= data.vocabulary=words
one_error "decoder.frozen language" "train.init_from"

# Hard attention is a line, and a comparison measures it.
cat >arms.yaml <<'YAML'
base: blip.yaml
compare: {arms: {soft: {}, hard: {attention.selection: hard}}, seeds: [1]}
YAML
expect 0 "$saccade" compare arms.yaml --out arms "${short[@]}" train.stop=2u

# A checkpoint that was made of it is as good a start, and so is a run.
expect 0 "$saccade" convert hub/blip whole.h5
for from in whole.h5 blip-1; do
  expect 0 "$saccade" new next "${own[@]}" --from $from --out next.yaml
  rm -rf next
  expect 0 "$saccade" train next.yaml --out next "${short[@]}" train.stop=1u --report-images 0
  rm next.yaml
done

# The decoder alone goes on with another encoder.
sed -e '/init_from/d' -e '/^encoder:/,/^attention:/{/^attention:/!d}' blip.yaml >decoder.yaml
other=(encoder.type=cnn "encoder.channels=[8, 8, 8, 8]" encoder.image_size=32 decoder.weights=hub/blip)
expect 0 "$saccade" train decoder.yaml --out decoder "${short[@]}" "${other[@]}" --report-images 0
wants "start anew" err
expect 0 "$saccade" caption decoder photos/dogs1.jpg
expect 2 "$saccade" train decoder.yaml --out x "${other[@]}" decoder.activation=relu
one_error "decoder.activation" "gelu"
expect 2 "$saccade" train decoder.yaml --out x "${other[@]}" data.vocabulary=words
one_error "data.vocabulary published"
expect 2 "$saccade" train decoder.yaml --out x decoder.weights=
one_error "data.vocabulary published" "decoder.weights"
expect 4 "$saccade" train decoder.yaml --out x "${other[@]}" decoder.weights=nothing.h5
one_error "nothing.h5"
exit 0

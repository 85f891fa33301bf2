# Own photos and a model that was trained before: `saccade new --from` writes a config that starts from its
# weights. Words that both know keep theirs.
. "$(dirname "${BASH_SOURCE[0]}")/support.sh"

expect 0 "$saccade" train tiny.yaml --out first train.stop=8u --report-images 0
mkdir near photos
expect 0 "$saccade" convert first near/small.h5 --half
expect 0 "$saccade" data tiny.yaml --out pictures
echo image,caption >captions.csv
for i in $(seq 20); do
  cp pictures/train.png "photos/$i.png"
  echo "$i.png,a red square and an umbrella number $i" >>captions.csv
done
own=(--photos photos --captions captions.csv)

expect 0 "$saccade" new mine "${own[@]}" --from small --models near
wants "train.init_from: small  (" out
wants "whose weights fit no others" out
for text in "init_from: small" "hidden: 24" "embedding: 16" "channels: [8, 8, 8, 8]" "beam: 2" "--from small"; do
  wants "$text" mine.yaml
done
expect 0 "$saccade" config check mine.yaml --models near
short="train.stop=1u train.validate_every=1u optimizer.warmup=0 --report-images 0 --models near"
expect 0 "$saccade" train mine.yaml --out runs/mine $short
grep -q "train.init_from: [1-9][0-9]* of [0-9]* words are known to small" err || fail "the known words are not counted"
wants '"init_from"' runs/mine/manifest.json
# The model that it starts from is scored on the same photos.
expect 0 "$saccade" evaluate runs/mine --split val --json --out mine.json
expect 0 "$saccade" evaluate small --models near --data mine.yaml --split val --json --out small.json
cmp <(grep -o '"image_id": *"[^"]*"' mine.json | sort) <(grep -o '"image_id": *"[^"]*"' small.json | sort) ||
  fail "--data mine.yaml does not take the photos of mine.yaml"
grep -q image_id mine.json || fail "no results"
expect 2 "$saccade" evaluate small --models near --data nothing
one_error "there is no such config; give KEY=VALUE"
# A comparison of two arms takes the network from there, too.
cat >arms.yaml <<'END'
base: mine.yaml
compare: {arms: {soft: {}, hard: {attention.selection: hard}}, seeds: [1]}
END
expect 0 "$saccade" compare arms.yaml --out runs/arms --models near train.stop=1u train.validate_every=1u optimizer.warmup=0
# The model that it starts from is validated, too, and kept if it is better.
grep -q '"event":"validation","update":0,' runs/mine/metrics.jsonl || fail "the start was not validated"
# The run stands alone.
rm -r near/small.h5
expect 0 "$saccade" caption runs/mine pictures/test.png
expect 0 "$saccade" train --out runs/mine --resume --report-images 0
# A run of one's own is as good as a model with a name.
expect 0 "$saccade" new next "${own[@]}" --from runs/mine
expect 0 "$saccade" train next.yaml --out runs/next $short
! grep -q "words are known" err || fail "equal vocabularies cause a message"

# `new` says whether a model predicts the captions better than their own word frequencies do. Whatever it says,
# the model is trained as long, and with the steps, of a new one.
expect 0 "$saccade" train next.yaml --out runs/knows train.stop=40u train.validate_every=40u optimizer.lr=1e-2 \
  optimizer.warmup=0 optimizer.schedule=constant optimizer.final_lr=0 --report-images 0
expect 0 "$saccade" new near "${own[@]}" --from runs/knows --json
cp out near.json
expect 0 "$saccade" new far "${own[@]}" --from first --json
cp out far.json
expect 0 "$saccade" new plain "${own[@]}" --json
[ "$(json out /start)" = null ] || fail "a model was measured that is not there"
[ "$(json near.json /start/near)" = true ] || fail "a model that knows the captions is called far"
[ "$(json far.json /start/near)" = false ] || fail "a model that has hardly begun is called near"
[ "$(json near.json /start/frequencies)" = "$(json far.json /start/frequencies)" ] ||
  fail "word frequencies depend on the model"
wants "runs/knows as it is predicts the words of" near.json
wants "it is a good start" near.json
wants "it knows little of such captions" far.json
for key in stop lr ema warmup label_smoothing validate_every patience; do
  for config in near far; do
    [ "$(grep " $key:" $config.yaml)" = "$(grep " $key:" plain.yaml)" ] || fail "$config has another $key than a new model"
  done
done
for config in near far; do expect 0 "$saccade" config check $config.yaml; done

# What does not fit is said in few lines.
expect 4 "$saccade" train next.yaml --out none $short decoder.hidden=12
wants "does not fit this run (train.init_from)" err
wants "saccade new --from" err
[ "$(grep -c '^  ' err)" -eq 3 ] || fail "not three of the arrays are named"
[ ! -e none ] || fail "a run that could not start left its directory behind"
expect 4 "$saccade" new x "${own[@]}" --from nothing
one_error "nothing: no such checkpoint"
expect 2 "$saccade" new x "${own[@]}" --from runs/mine --encoder no.onnx
one_error "--encoder has no effect"
expect 0 "$saccade" train tiny.yaml --out pieces train.stop=1u data.vocabulary=bpe data.bpe_size=60 --report-images 0
expect 2 "$saccade" new x "${own[@]}" --from pieces
one_error "pieces of words"
[ ! -e x.yaml ] || fail "a config was written although the model cannot be used"
exit 0

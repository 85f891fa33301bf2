# A checkpoint for captioning alone, and models by name: a model is converted to 16 bits, captions as before
# without any other file, and its name stands wherever a checkpoint is taken.
. "$(dirname "${BASH_SOURCE[0]}")/support.sh"

# A copy of the program, so that it does not find the models of the source tree.
copy_program usr/bin
saccade=$work/usr/bin/saccade
expect 0 "$saccade" list models
wants "no models" out

# Two models that have learned enough to say different things of different scenes.
scenes=(data.scenes.train=800 data.scenes.val=200 data.scenes.objects_max=1 decoder.dropout=0 optimizer.lr=1e-2
  train.batch=16 train.shard=16 train.validate_every=400u train.validate_images=40)
expect 0 "$saccade" train tiny.yaml --out run "${scenes[@]}" train.stop=800u optimizer.ema=0.9 --report-images 0
expect 0 "$saccade" train tiny.yaml --out other seed=2 "${scenes[@]}" train.stop=20u attention.selection=hard --report-images 0
mkdir near far
expect 0 "$saccade" convert run near/soft.h5 --half --json
[ "$(json out /bytes)" -eq "$(stat -c %s near/soft.h5)" ] || fail "bytes is not the size of the file"
expect 0 "$saccade" convert other far/hard.h5 --half
best=$(stat -L -c %s run/checkpoints/best-Bleu_4)
[ $((3 * $(stat -c %s near/soft.h5))) -lt "$best" ] || fail "the model is not small"

# 99 of 100 scenes have the same caption, and there are many captions.
expect 0 "$saccade" evaluate run --split val --no-ablations --out whole.json
expect 0 "$saccade" evaluate near/soft.h5 --split val --no-ablations --out half.json
grep -o '"caption": *"[^"]*"' whole.json >whole.txt
grep -o '"caption": *"[^"]*"' half.json >half.txt
[ "$(wc -l <whole.txt)" -eq 200 ] && [ "$(wc -l <half.txt)" -eq 200 ] || fail "not all scenes have a caption"
[ "$(sort -u whole.txt | wc -l)" -ge 10 ] || fail "the model says the same of all scenes"
same=$(paste -d '\n' whole.txt half.txt | awk 'NR % 2 { one = $0; next } $0 == one { n++ } END { print n + 0 }')
[ "$same" -ge 198 ] || fail "only $same of 200 captions are the same"

# Nothing of the training is left, and nothing else is needed.
expect 0 "$saccade" inspect near/soft.h5 --json
[ "$(json out /weights_only)" = true ] || fail "inspect does not say that there are only weights"
[ "$(json out /state/update)" -gt 0 ] || fail "the updates of the training are not known"
json out /state/best/Bleu_4 >/dev/null
expect 0 "$saccade" inspect near/soft.h5
wants "for captioning alone" out
expect 0 "$saccade" convert near/soft.h5 soft.safetensors
expect 0 "$saccade" inspect soft.safetensors
wants "  F16  " out
expect 0 "$saccade" convert soft.safetensors back.h5
cmp -s near/soft.h5 back.h5 || fail "the conversion there and back changed the checkpoint"
expect 0 "$saccade" convert near/soft.h5 again.h5 --half
cmp -s near/soft.h5 again.h5 || fail "converting once more changed the checkpoint"

# No run goes on from it. A new one starts from it.
cp -r run stopped
cp near/soft.h5 stopped/checkpoints/step-00000800.h5
expect 4 "$saccade" train tiny.yaml --out stopped "${scenes[@]}" train.stop=900u optimizer.ema=0.9 --resume --report-images 0
one_error "stopped/checkpoints/step-00000800.h5: cannot go on" "weights for captioning alone" "train.init_from"
expect 0 "$saccade" train tiny.yaml --out started "${scenes[@]}" train.stop=1u optimizer.lr=1e-12 train.init_from=soft \
  --models near --report-images 0
expect 0 "$saccade" evaluate started --split val --no-ablations --out started.json
cmp -s half.json started.json || fail "the new run does not have the weights"
wants '"init_from"' started/manifest.json
expect 4 "$saccade" train tiny.yaml --out none train.init_from=sotf --models near
one_error "sotf: no such checkpoint" "did you mean 'soft'?"

# What cannot be.
expect 2 "$saccade" convert run x.safetensors --half
one_error "convert --half goes from a checkpoint to a checkpoint"
expect 2 "$saccade" convert run x.h5 --half --encoder
one_error "--half writes a whole model"
expect 2 "$saccade" convert run x.safetensors --set search.beam=3
one_error "only together with --half"
expect 7 "$saccade" convert run near/soft.h5 --half
one_error "exists" "--force"
expect 4 "$saccade" convert run x.h5 --half --set decoder.hidden=12
expect 0 "$saccade" convert run beam.h5 --half --set search.beam=2
expect 0 "$saccade" inspect beam.h5
wants "search.beam: 2" out
[ ! -e x.h5 ] || fail "a refused conversion left a file"

# By name: the folder of --models, then those of SACCADE_MODELS.
cat >near/soft.md <<'CARD'
---
title: soft attention on scenes
data: 800 drawn scenes
split: val
scores: ["Bleu_4 0.5 [.4, .6]"]
licence: as the scenes
---
# Data
CARD
cp near/soft.h5 far/soft.h5
export SACCADE_MODELS=$PWD/near:$PWD/far
expect 0 "$saccade" data tiny.yaml --out sheets
expect 0 "$saccade" caption soft sheets/test.png
! grep -qv "was trained on drawn scenes" err || fail "a model by name causes a message"
cp out named.txt
expect 0 "$saccade" caption near/soft.h5 sheets/test.png
cmp -s out named.txt || fail "another model was captioned with"
expect 0 "$saccade" overlay soft sheets/test.png --out overlays
ls overlays/*.png >/dev/null || fail "no sheet"
expect 0 "$saccade" evaluate soft,hard --split val --images 4 --no-ablations --json
expect 0 "$saccade" inspect soft --gradients --images 2
wants "direct" out
expect 0 "$saccade" report soft run --out both.html --images 2
wants '"soft"' both.html
expect 0 "$saccade" convert hard hard.safetensors

expect 0 "$saccade" list models
wants "soft: soft attention on scenes" out
wants "trained on: 800 drawn scenes" out
wants "scores: Bleu_4 0.5 [.4, .6] (val)" out
wants "licence: as the scenes" out
wants "hard: a model without a card" out
wants "note: it has no model card hard.md" out
! grep -q "problem" out || fail "a card is a duty"
# A folder that does not exist is told where a name is looked for; the other folders are searched all the same.
for command in "list models" "inspect soft"; do
  SACCADE_MODELS=$PWD/missing:$PWD/near expect 0 "$saccade" $command
  wants "SACCADE_MODELS: $PWD/missing: there is no such folder" err
done
SACCADE_MODELS=$PWD/missing expect 0 "$saccade" inspect run
[ ! -s err ] || fail "a folder of models is told of where no name is looked for"
# A model that hides another one of its name says so.
mkdir shadow
cp far/hard.h5 shadow/soft.h5
expect 0 "$saccade" --models shadow inspect soft
wants "'soft' is shadow/soft.h5; the other model of this name is $PWD/near/soft.h5" err
expect 0 "$saccade" --models shadow list models
wants "hides: $PWD/near/soft.h5" out
rm -r shadow
expect 0 "$saccade" list models --json
[ "$(json out '/models#')" -eq 2 ] || fail "there are two models"
[ "$(json out /models/1/name)" = soft ] || fail "models are not sorted by name"
[ "$(json out /models/1/file)" = "$PWD/near/soft.h5" ] || fail "the first folder does not count"
[ "$(json out /models/1/bytes)" -eq "$(stat -c %s near/soft.h5)" ] || fail "bytes is not the size of the file"
[ "$(json out /models/1/title)" = "soft attention on scenes" ] || fail "the title of the card"
expect 0 "$saccade" --models far list models --json
[ "$(json out /models/1/file)" = far/soft.h5 ] || fail "--models is not searched first"
sed -i 's/^licence.*/&\ndigest: 0123/' near/soft.md
expect 0 "$saccade" list models
wants "the card describes another file" out
expect 3 "$saccade" --models nowhere list models
one_error "--models nowhere: no such folder"

for command in "caption sotf sheets/test.png" "overlay sotf" "evaluate sotf" "inspect sotf" "serve sotf" "report sotf" \
  "convert sotf x.safetensors" "caption soft,sotf sheets/test.png"; do
  expect 4 "$saccade" $command
  one_error "sotf: no such checkpoint" "did you mean 'soft'?" "hard, soft"
done
# What is wrong with first weights is found before training, with its exit code.
expect 0 "$saccade" config check tiny.yaml train.init_from=soft
expect 4 "$saccade" config check tiny.yaml train.init_from=sotf
one_error "train.init_from: sotf: no such checkpoint" "did you mean 'soft'?"
expect 4 "$saccade" train tiny.yaml --out misspelt train.init_from=sotf
for misfit in decoder.hidden=20 "encoder.type=vit encoder.positions=learned" decoder.embedding=20; do
  expect 4 "$saccade" train tiny.yaml --out misfit train.init_from=soft $misfit
  cp err train.err
  expect 4 "$saccade" config check tiny.yaml train.init_from=soft $misfit
  cmp -s err train.err || fail "config check and train say different things of $misfit"
done
expect 0 timeout 10 "$saccade" config check tiny.yaml train.init_from=soft data.scenes.train=1000000

# A path wins, and says so.
cp near/soft.h5 hard
expect 0 "$saccade" caption hard sheets/test.png
[ "$(grep -vc "was trained on drawn scenes" err)" -eq 1 ] || fail "there is not one line about the path and the name"
wants "'hard' is taken as the path that exists" err
cmp -s out named.txt || fail "the name won over the path"
rm hard
unset SACCADE_MODELS

# The models of an installation are found from the program's own place.
mkdir -p usr/share/saccade/models
cp near/soft.h5 usr/share/saccade/models/
(cd sheets && "$saccade" caption soft test.png) >out 2>err || fail "the installed model was not found"
[ "$(sed 's/^[^:]*: //' out)" = "$(sed 's/^[^:]*: //' named.txt)" ] || fail "another caption"
exit 0

# `config check` refuses what `train` would refuse, with the same words: values that do not fit each other,
# and values that do not fit captions that are there. A comparison refuses such an arm before it trains one.
. "$(dirname "${BASH_SOURCE[0]}")/support.sh"

# refused TEXT CONFIG OVERRIDES...: both commands end with 2 and the same line, which has the text.
refused() {
  local text=$1
  shift
  expect 2 "$saccade" config check "$@"
  one_error "$text"
  cp err checked
  expect 2 "$saccade" train "$@" --out bad
  grep '^error: ' err >trained
  cmp -s trained checked || fail "config check and train find different mistakes: $*"
}

# A frozen network, which nothing has to be read of to see these mistakes.
frozen="encoder.type=onnx_native encoder.frozen_stages=-1 encoder.model=net.onnx encoder.layer=grid encoder.positions=none"
refused "so it needs views" tiny.yaml $frozen encoder.augment.flip=true
refused "so it needs views" tiny.yaml $frozen encoder.augment.scale=0.8 encoder.augment.views=1
refused "nothing makes one view differ" tiny.yaml $frozen encoder.augment.views=2
refused "flip alone makes 2" tiny.yaml $frozen encoder.augment.flip=true encoder.augment.views=3
refused "'onnx' was removed; take encoder.type onnx_native with encoder.frozen_stages -1" tiny.yaml encoder.type=onnx
refused "more than half of the network's input" tiny.yaml encoder.augment.shift=17
refused "no parameter's name starts with 'decodr'" tiny.yaml 'optimizer.groups={decodr: 0.1}'
refused "optimizer.warmup is 24 updates" tiny.yaml optimizer.schedule=cosine optimizer.warmup=24

# Own photos: how many updates an epoch has is known from the captions.
damaged_pictures
mkdir photos
for i in 1 2 3 4 5 6; do cp damaged.jpg photos/$i.jpg; done
{
  echo image,caption
  for i in 1 2 3 4 5 6; do echo "$i.jpg,a grey square number $i"; done
} >photos/captions.csv
cat >own.yaml <<'YAML'
base: tiny.yaml
name: own
data: {type: folder, images: photos, annotations: photos/captions.csv, split: {val: 0.2, test: 0.2}}
train: {stop: 2e, batch: 2, shard: 2}
YAML
expect 0 "$saccade" config check own.yaml
refused "optimizer.warmup is 40 updates" own.yaml optimizer.warmup=40 optimizer.schedule=cosine
cat >arms.yaml <<'YAML'
base: own.yaml
name: arms
compare: {arms: {short: {}, long: {optimizer.warmup: 40, optimizer.schedule: cosine}}}
YAML
expect 2 "$saccade" config check arms.yaml
one_error "long: optimizer.warmup is 40 updates"
expect 2 "$saccade" compare arms.yaml --out study
wants "long: optimizer.warmup is 40 updates" err
[ ! -e study/short ] || fail "an arm was trained before another was refused"
# What a comparison declares is part of its file.
for wrong in "primary=cider|(did you mean 'CIDEr'?)" "primary=exact_match|nothing is judged by it here" \
  "primary=mean_length|has no interval, or does not judge" "margins=[METEOR=nan]|is not a finite number" \
  "margins=[CIDEr=0.1, CIDEr=0.2]|has a margin already" "margins=[exact_match=0.1]|nothing is judged by it here"; do
  for command in "config check" "compare"; do
    expect 2 "$saccade" $command arms.yaml "compare.${wrong%%|*}" optimizer.warmup=0 \
      'compare.arms={short: {}, long: {optimizer.lr: 0.1}}'
    one_error "compare.${wrong%%[=|]*}" "${wrong#*|}"
  done
done
expect 0 "$saccade" config check arms.yaml compare.primary=CIDEr 'compare.margins=[Bleu_4=0.01]' \
  'compare.arms={short: {}, long: {optimizer.lr: 0.1}}'
[ ! -e runs ] || fail "a refused comparison left a folder behind"
[ ! -e bad ] || fail "a refused command left a folder behind"
# Captions that cannot be read are a mistake that is seen before training, too.
echo 'nothing' >photos/captions.csv
expect 3 "$saccade" config check own.yaml
exit 0

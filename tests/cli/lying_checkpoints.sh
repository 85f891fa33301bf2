# Checkpoints that are whole and sealed, and whose content lies: counters that overflow, times that are no
# numbers, models that do not fit their weights. Each gives exit code 4 and one line, before memory for what it
# claims is taken; what is read of it and reaches the terminal holds no control characters.
. "$(dirname "${BASH_SOURCE[0]}")/support.sh"
forge=$(dirname "$json_value")/forge_checkpoint

# forged FROM ENTRY PLACE VALUE...: writes lie.h5, which differs from a checkpoint in these entries.
forged() {
  cp -L "$1" lie.h5 || fail "there is no $1"
  shift
  while [ $# -ge 3 ]; do
    "$forge" lie.h5 next.h5 "$1" "$2" "$3" 2>err || fail "cannot forge $1 $2"
    mv next.h5 lie.h5
    shift 3
  done
}

# Refused, with what any program can take: 64 GB are not asked for. (Sanitizers reserve more than the limit.)
limit=6000000
(ulimit -v $limit && "$saccade" --version) >/dev/null 2>&1 || limit=unlimited
refused() { (ulimit -v $limit; expect 4 "$saccade" "$@") && one_error; }

# resumed CODE: continues a copy of the run in which lie.h5 is the newest checkpoint.
resumed() {
  rm -rf copy
  cp -r run copy
  cp lie.h5 copy/checkpoints/step-00000020.h5
  expect "$1" "$saccade" train --out copy --resume train.stop=21u
}

expect 0 "$saccade" train tiny.yaml --out run train.stop=20u train.keep=9 attention.selection=hard
good=run/checkpoints/last
forged $good - 0 0
refused evaluate missing.h5
expect 0 "$saccade" inspect lie.h5
resumed 0

# Between two validations, it also has the statistics of the estimator.
middle=run/checkpoints/step-00000018.h5 before=
largest=9223372036854775807 smallest=-9223372036854775808
while read -r entry place value; do
  forged $middle "$entry" "$place" "$value"
  refused inspect lie.h5
  wants "lie.h5: entry '$entry'" err
  [ "$entry" != "$before" ] || continue
  before=$entry
  resumed 4
  one_error "step-00000020.h5: entry '$entry'"
done <<LIES
state/position 0 -5
state/position 0 $largest
state/position 0 $smallest
state/position 1 -1
state/position 1 $largest
state/position 2 -5
state/position 2 $largest
state/position 3 -1
state/position 3 $largest
state/clock 0 nan
state/clock 0 inf
state/clock 0 -1
state/clock 0 1e300
state/clock 1 nan
state/clock 1 1e18
state/clock 2 -inf
state/clock 3 21
state/clock 4 1e9
state/reward_baseline 0 2
state/reward_baseline 1 nan
state/estimator 0 -1
state/estimator 0 1e300
state/estimator 3 inf
state/finished 0 2
LIES

# What only training reads.
while read -r entry place value text; do
  forged $good "$entry" "$place" "$value"
  expect 0 "$saccade" inspect lie.h5
  resumed 4
  one_error step-00000020.h5 "$text"
done <<LIES
state/position 2 19 19 batches of epoch 2 are done
optimizer/updates 0 -1 updates of the optimizer
optimizer/updates 0 21 updates of the optimizer
optimizer/updates 0 $largest updates of the optimizer
LIES

# A checkpoint for captioning alone says what its training was.
expect 0 "$saccade" convert run half.h5 --half
while read -r entry place value; do
  forged half.h5 "$entry" "$place" "$value"
  refused inspect lie.h5
  wants "lie.h5: entry '$entry'" err
done <<LIES
trained/updates 0 -5
trained/updates 0 $largest
trained/updates 1 -1
trained/updates 1 $largest
trained/seconds 0 nan
trained/seconds 0 -1
LIES

# A model that is none, or that does not have the weights that the file holds.
printf '%0.s[' {1..5000} >brackets
printf 'a%.0s' {1..100000} >long
# A run that starts from it takes the arrays as they are, and minds only what is wrong with these.
while IFS='|' read -r entry place value text start; do
  forged $good $entry "$place" "$value"
  refused inspect lie.h5
  wants lie.h5 err
  wants "$text" err
  [ -n "$start" ] || continue
  refused train tiny.yaml --out new train.init_from=lie.h5 attention.selection=hard
  wants lie.h5 err
done <<'LIES'
config|decoder:|decoder: {hidden: 65536}|not valid YAML|start
config|  hidden: 24|  hidden: 65536|found float array|
config|  hidden: 24|  hidden: -1|hidden|start
config|  embedding: 16|  embedding: 65536|found float array|
config|type: lstm|type: transformer|parameters|
config|frozen_stages: 0|frozen_stages: -1|no grid of the frozen encoder|
config|type: cnn|type: onnx|'onnx' was removed; take encoder.type onnx_native with encoder.frozen_stages -1|start
config|type: cnn|type: vit|no model can be made of its config|
config|heads: 1|heads: 7|heads|
config|seed: 1|@brackets|config|start
config|seed: 1|@long|config|start
content_version|0|2|content version 2|start
vocabulary|5||empty|start
vocabulary|5|<bos>|there twice|start
vocabulary|0|word|must be <pad>|start
LIES
# Tables that training does not learn are as large as a config says.
forged $good config '  hidden: 24' '  hidden: 65536' config 'type: lstm' 'type: transformer' \
  config 'longest: ' 'longest: 65536 # '
refused inspect lie.h5
for grid in 0 -1 $largest 1000000000000; do
  for place in 0 1 2; do
    forged $good config 'frozen_stages: 0' 'frozen_stages: -1' frozen_grid 0 7 frozen_grid 1 7 frozen_grid 2 16 \
      frozen_grid $place $grid
    refused inspect lie.h5
    wants "frozen_grid" err
  done
done

# Text that reaches the terminal.
printf '\033]0;title\007\033[31m\b\r' >escapes
forged $good data/name scenes @escapes data/digest '' @escapes vocabulary 6 "$(printf 'a\033[31mb')" \
  state/best_names 0 "$(printf 'Bleu_\033[31m')" config 'name: tiny' 'name: "\e[31mred"'
expect 0 "$saccade" inspect lie.h5
! grep -q "$(printf '[\033\007\b\r]')" out || fail "inspect prints control characters"
printf '\377\376' >bytes
forged $good data/name scenes @bytes state/best_names 0 @bytes
expect 0 "$saccade" inspect lie.h5 --json
json out /dataset/name >/dev/null
exit 0

# Averages of the weights (optimizer.ema): they do not change the training, validation and checkpoints use
# them, and a resumed run equals the uninterrupted one bit for bit.
. "$(dirname "${BASH_SOURCE[0]}")/support.sh"

losses() { grep '"event":"update"' "$1/metrics.jsonl" | grep -o '"loss":[^,]*'; }
validations() { grep '"event":"validation"' "$1/metrics.jsonl" | grep -o '"Bleu_1":[^,]*'; }

expect 0 "$saccade" train tiny.yaml --out plain
expect 0 "$saccade" train tiny.yaml --out whole optimizer.ema=0.9 --threads 1
wanted=$(digest whole)
[ -n "$(losses whole)" ] || fail "metrics.jsonl has no losses"
[ "$(losses whole)" = "$(losses plain)" ] || fail "the averages changed the losses"
[ "$(digest plain)" = "$wanted" ] && fail "the checkpoint holds the weights themselves, not their averages"
expect 0 "$saccade" train tiny.yaml --out threads optimizer.ema=0.9 --threads 3
[ "$(digest threads)" = "$wanted" ] || fail "the result differs with 3 threads"
for stop in 7u 13u 24u; do
  expect 0 "$saccade" train tiny.yaml --out parts optimizer.ema=0.9 train.stop=$stop --resume
done
[ "$(digest parts)" = "$wanted" ] || fail "the result of the resumed run differs"
expect 4 "$saccade" train tiny.yaml --out parts optimizer.ema=0.8 train.stop=30u --resume
wants "optimizer.ema was 0.9, is 0.8" err

# After one update, the average equals the weights. A checkpoint with averages can be converted to
# safetensors and back.
expect 0 "$saccade" train tiny.yaml --out once optimizer.ema=0.9 train.stop=1u
expect 0 "$saccade" train tiny.yaml --out once-plain train.stop=1u
"$saccade" inspect once/checkpoints/last --json >a.json || fail "inspect"
"$saccade" inspect once-plain/checkpoints/last --json >b.json || fail "inspect"
[ "$(json a.json /parameters_digest)" = "$(json b.json /parameters_digest)" ] ||
  fail "the average of one update is not its weights"
expect 0 "$saccade" convert whole/checkpoints/last whole.safetensors
expect 0 "$saccade" convert whole.safetensors back.h5
cmp -s whole/checkpoints/last back.h5 ||
  fail "the conversion there and back changed a checkpoint with averages"

# A run that is resumed across the switch to self-critical training, which starts from the averages.
two=(optimizer.ema=0.9 objective.self_critical.start=10u objective.self_critical.samples=3
  objective.self_critical.lr=1e-3)
expect 0 "$saccade" train tiny.yaml --out critical "${two[@]}" --threads 1
for stop in 7u 10u 13u 24u; do
  expect 0 "$saccade" train tiny.yaml --out critical-parts "${two[@]}" train.stop=$stop --resume
done
[ "$(digest critical)" = "$(digest critical-parts)" ] ||
  fail "the result of the resumed self-critical run differs"
exit 0

# Attention that is supervised by boxes and by a localizer. Neither the number of
# threads nor resuming changes a bit, with one image per caption and with shared images, with soft and
# with hard attention. Also what a run reports about the supervision, and what is refused.
. "$(dirname "${BASH_SOURCE[0]}")/support.sh"

supervised=(objective.supervision.boxes=0.5 objective.supervision.localizer.weight=0.5
  objective.supervision.localizer.hidden=8)
run() { same_bits "$@" "${supervised[@]}"; }  # NAME OPTIONS...
run soft
run shared train.captions=whole_images train.shard=7
run hard attention.selection=hard attention.hard.baseline=leave_one_out attention.hard.samples=2
run proposed attention.selection=hard attention.hard.proposal=localizer
run augmented encoder.augment.flip=true encoder.augment.shift=3

grep '"event":"update"' soft/metrics.jsonl | tail -n 1 >last
for key in box_cost localizer_divergence localizer_nll; do
  wants "\"$key\":" last
done
expect 0 "$saccade" evaluate soft --split val --no-ablations
wants "localizer, given the word" out

# Supervision by boxes alone makes its cost fall.
expect 0 "$saccade" train tiny.yaml --out longer train.stop=150u objective.supervision.boxes=2
first=$(grep -o '"box_cost":[^,]*' longer/metrics.jsonl | head -n 1 | cut -d: -f2)
last=$(grep -o '"box_cost":[^,]*' longer/metrics.jsonl | tail -n 1 | cut -d: -f2)
awk -v a="$first" -v b="$last" 'BEGIN { exit !(b < 0.8 * a) }' || fail "box_cost went from $first to $last"

# The weights of a supervision are no part of the captioner: a run with supervision may start from a
# checkpoint without it, and the other way round.
expect 0 "$saccade" train tiny.yaml --out before
expect 0 "$saccade" train tiny.yaml --out after "${supervised[@]}" train.init_from=before train.stop=3u
expect 0 "$saccade" train tiny.yaml --out behind train.init_from=soft train.stop=3u

# A model without maps trains and is validated, without numbers about maps.
for image in every_word first_step none; do
  expect 0 "$saccade" train tiny.yaml --out "$image" decoder.image=$image
  ! grep -q attention_entropy "$image/metrics.jsonl" ||
    fail "a model with decoder.image $image has metrics of maps"
done

for key in prophet cyclical step; do
  expect 2 "$saccade" train tiny.yaml --out none objective.supervision.$key=1
  one_error "objective.supervision.$key was removed"
done
expect 2 "$saccade" train tiny.yaml --out none objective.supervision.boxes=1 attention.score=none \
  attention.gate=none
one_error objective.supervision.boxes
expect 2 "$saccade" train tiny.yaml --out none objective.supervision.boxes=1 decoder.image=first_step
one_error objective.supervision.boxes
proposed=(attention.selection=hard attention.hard.proposal=localizer)
expect 2 "$saccade" train tiny.yaml --out none "${proposed[@]}"
one_error "attention.hard.proposal localizer needs objective.supervision.localizer.weight above 0"
proposed+=(objective.supervision.localizer.weight=1)
expect 2 "$saccade" train tiny.yaml --out none "${proposed[@]}" attention.hard.likelihood=marginal
one_error "attention.hard.proposal localizer needs attention.hard.likelihood choice"
expect 2 "$saccade" train tiny.yaml --out none "${proposed[@]}" attention.heads=2
one_error "attention.hard.proposal localizer needs attention.heads 1"
expect 2 "$saccade" train tiny.yaml --out none "${proposed[@]}" attention.scope=monotonic
one_error "attention.hard.proposal localizer needs an attention.scope other than monotonic"
expect 2 "$saccade" train tiny.yaml --out none decoder.image=first_step train.watch_maps=false
one_error "train.watch_maps has no effect"
exit 0

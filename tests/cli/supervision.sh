# Attention that is supervised by boxes, by a localizer and by informed attention. Neither the number of
# threads nor resuming changes a bit, with one image per caption and with shared images, with soft and
# with hard attention. Also what a run reports about the supervision, and what is refused.
. "$(dirname "${BASH_SOURCE[0]}")/support.sh"

supervised=(objective.supervision.boxes=0.5 objective.supervision.localizer.weight=0.5
  objective.supervision.localizer.hidden=8
  objective.supervision.prophet=0.2 objective.supervision.cyclical=0.5)
run() { same_bits "$@" "${supervised[@]}"; }  # NAME OPTIONS...
run soft
run shared train.captions=whole_images train.shard=7 objective.supervision.step=1
run hard attention.selection=hard attention.hard.baseline=leave_one_out attention.hard.samples=2
run proposed attention.selection=hard attention.hard.proposal=localizer
run augmented encoder.augment.flip=true encoder.augment.shift=3

grep '"event":"update"' soft/metrics.jsonl | tail -n 1 >last
for key in box_cost localizer_divergence localizer_nll prophet_distance prophet_nll cyclical_nll; do
  wants "\"$key\":" last
done
expect 0 "$saccade" evaluate soft --split val --no-ablations
for by in localizer prophet cyclical; do wants "$by, given the word" out; done

# Supervision by boxes alone makes its cost fall.
expect 0 "$saccade" train tiny.yaml --out longer train.stop=150u objective.supervision.boxes=2
first=$(grep -o '"box_cost":[^,]*' longer/metrics.jsonl | head -n 1 | cut -d: -f2)
last=$(grep -o '"box_cost":[^,]*' longer/metrics.jsonl | tail -n 1 | cut -d: -f2)
awk -v a="$first" -v b="$last" 'BEGIN { exit !(b < 0.8 * a) }' || fail "box_cost went from $first to $last"

# The maps of informed attention lie more on what the word names than the maps of the model from which the
# run started. The encoder is not trained, because otherwise the chosen region becomes a code for the
# word.
scenes=(data.scenes.train=1500 data.scenes.val=80 train.batch=16 train.shard=16 train.validate_every=2000u
  encoder.positions=none)
correctness() { # RUN WHOSE: attention correctness of the maps, divided by that of uniform maps
  expect 0 "$saccade" evaluate "$1" --split val --no-ablations --json
  json out "/grounding/$2/model/attention_correctness_normalized"
}
expect 0 "$saccade" train tiny.yaml --out seeing "${scenes[@]}" train.stop=2000u optimizer.lr=4e-3
before=$(correctness seeing ground_truth_words)
for by in prophet cyclical; do
  expect 0 "$saccade" train tiny.yaml --out "supervised-$by" "${scenes[@]}" train.init_from=seeing train.stop=1500u \
    optimizer.lr=2e-3 encoder.frozen_stages=4 objective.supervision.$by=0.5
  after=$(correctness "supervised-$by" $by)
  awk -v a="$before" -v b="$after" 'BEGIN { exit !(a > 1 && b > 1.1 * a) }' ||
    fail "the correctness of $by is $after, and was $before before it"
done

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

for option in prophet cyclical; do
  expect 2 "$saccade" train tiny.yaml --out none objective.supervision.$option=1 decoder.type=transformer
  one_error "objective.supervision.$option needs decoder.type lstm, gru, luong or updown"
  expect 2 "$saccade" train tiny.yaml --out none objective.supervision.$option=1 decoder.image=every_word
  one_error "objective.supervision.$option has no effect"
done
expect 2 "$saccade" train tiny.yaml --out none objective.supervision.step=1 objective.supervision.cyclical=1
one_error "objective.supervision.step has no effect"
expect 2 "$saccade" train tiny.yaml --out none objective.supervision.step=1
one_error "objective.supervision.step has no effect"
expect 2 "$saccade" train tiny.yaml --out none objective.supervision.boxes=1 attention.score=none \
  attention.gate=none
one_error objective.supervision.boxes
expect 2 "$saccade" train tiny.yaml --out none objective.supervision.boxes=1 decoder.image=first_step
one_error objective.supervision.boxes
proposed=(attention.selection=hard attention.hard.proposal=localizer)
expect 2 "$saccade" train tiny.yaml --out none "${proposed[@]}"
one_error "attention.hard.proposal localizer needs objective.supervision.localizer.weight above 0"
proposed+=(objective.supervision.localizer.weight=1)
expect 2 "$saccade" train tiny.yaml --out none "${proposed[@]}" objective.supervision.step=1
one_error "attention.hard.proposal localizer needs objective.supervision.step 0"
expect 2 "$saccade" train tiny.yaml --out none "${proposed[@]}" attention.hard.likelihood=marginal
one_error "attention.hard.proposal localizer needs attention.hard.likelihood choice"
expect 2 "$saccade" train tiny.yaml --out none "${proposed[@]}" attention.heads=2
one_error "attention.hard.proposal localizer needs attention.heads 1"
expect 2 "$saccade" train tiny.yaml --out none "${proposed[@]}" attention.scope=monotonic
one_error "attention.hard.proposal localizer needs an attention.scope other than monotonic"
for key in maps.step=1 train.watch_maps=false; do
  expect 2 "$saccade" train tiny.yaml --out none decoder.image=first_step "$key"
  one_error "${key%%=*} has no effect"
done
exit 0

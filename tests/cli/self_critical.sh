# Self-critical training: the switch to it, resuming across the switch, threads, first weights, and wrong
# configs.
. "$(dirname "${BASH_SOURCE[0]}")/support.sh"

stage="objective.self_critical"

for selection in soft hard; do
  set -- attention.selection=$selection optimizer.schedule=cosine
  two="$stage.start=10u $stage.samples=3 $stage.lr=1e-3"
  # Before the switch, weights and moments are those of a run without the stage: 10 updates with a cosine
  # schedule over 10 updates.
  expect 0 "$saccade" train tiny.yaml --out one-$selection "$@" train.stop=10u
  expect 0 "$saccade" train tiny.yaml --out first-$selection "$@" $two train.stop=10u
  [ "$(digest one-$selection)" = "$(digest first-$selection)" ] ||
    fail "the result of the first stage differs"

  expect 0 "$saccade" train tiny.yaml --out whole-$selection "$@" $two --threads 1
  wanted=$(digest whole-$selection)
  for threads in 2 4; do
    expect 0 "$saccade" train tiny.yaml --out threads-$selection-$threads "$@" $two --threads $threads
    [ "$(digest threads-$selection-$threads)" = "$wanted" ] ||
      fail "the result differs with $threads threads"
  done
  # The run is stopped before, at and after the switch. An epoch of the second stage has 6 batches.
  for stop in 7u 10u 13u 24u; do
    expect 0 "$saccade" train tiny.yaml --out parts-$selection "$@" $two train.stop=$stop --resume
  done
  [ "$(digest parts-$selection)" = "$wanted" ] || fail "the result of the resumed $selection run differs"
done
wants '"reward":' whole-soft/metrics.jsonl
wants '"lr":0.001,' whole-soft/metrics.jsonl

# train.stop counts the epochs of both stages: one of 18 updates, then one of 6.
expect 0 "$saccade" train tiny.yaml --out epochs $stage.start=1e train.stop=2e
wants "24 updates" out
expect 0 "$saccade" train tiny.yaml --out dev --fast-dev-run $stage.start=5e optimizer.warmup=9 \
  optimizer.schedule=warmup_cosine
wants "3 updates" out

# In a run that starts from the weights of another run, the reward rises.
expect 0 "$saccade" train tiny.yaml --out before train.stop=12e train.validate_every=12e
expect 0 "$saccade" train tiny.yaml --out after train.init_from=before $stage.start=0u \
  $stage.lr=1e-3 $stage.baseline=greedy train.stop=30e train.validate_every=30e
wants '"file": "before/checkpoints/' after/manifest.json
first=$(grep -m 1 -o '"reward":[0-9.]*' after/metrics.jsonl | cut -d : -f 2)
last=$(grep '"reward":' after/metrics.jsonl | tail -n 1 | grep -o '"reward":[0-9.]*' | cut -d : -f 2)
awk "BEGIN { exit !($last > 1.1 * $first) }" || fail "the reward went from $first to $last"
# A resumed run still names the origin of its first weights and does not read them again.
mv before elsewhere
expect 0 "$saccade" train tiny.yaml --out after train.init_from=before $stage.start=0u \
  $stage.lr=1e-3 $stage.baseline=greedy train.stop=31e train.validate_every=30e --resume
wants '"file": "before/checkpoints/' after/manifest.json
wants "186 updates" out

expect 4 "$saccade" train tiny.yaml --out none train.init_from=before
one_error before
expect 4 "$saccade" train tiny.yaml --out none train.init_from=elsewhere decoder.hidden=12 \
  data.captions_per_image=1
wants "arrays differ" err
wants "saccade new --from" err
[ "$(grep -c '^  ' err)" -eq 3 ] || fail "not three of the arrays are named"
[ -e none ] && fail "a run that could not start left its directory behind"
# With the words of other captions it starts from the weights of those that both have.
expect 0 "$saccade" train tiny.yaml --out fewer train.init_from=elsewhere data.captions_per_image=1 train.stop=1u
wants "words are known to elsewhere" err

expect 2 "$saccade" train tiny.yaml --out none $stage.start=2h
one_error "objective.self_critical.start" "epochs"
expect 2 "$saccade" train tiny.yaml --out none $stage.start=1e $stage.samples=1
one_error "leave_one_out" "greedy"
expect 2 "$saccade" train tiny.yaml --out none $stage.start=1e $stage.reward.CIDEr_D=0
one_error "objective.self_critical.reward"
expect 2 "$saccade" train tiny.yaml --out none $stage.start=1e $stage.reward.Cider=1
wants "did you mean 'CIDEr'" err
expect 2 "$saccade" train tiny.yaml --out none train.stop=0e
wants "train.stop" err
exit 0

# A resumed run equals the uninterrupted one bit for bit, also if it was stopped within an epoch, for any
# number of threads.
. "$(dirname "${BASH_SOURCE[0]}")/support.sh"

for selection in soft hard; do
  set -- attention.selection=$selection
  expect 0 "$saccade" train tiny.yaml --out whole-$selection "$@" --threads 1
  wanted=$(digest whole-$selection)
  for threads in 2 4; do
    expect 0 "$saccade" train tiny.yaml --out threads-$selection-$threads "$@" --threads $threads
    [ "$(digest threads-$selection-$threads)" = "$wanted" ] ||
      fail "the result differs with $threads threads"
  done
  # Stopped within an epoch (18 batches), once before and once after a validation.
  expect 0 "$saccade" train tiny.yaml --out parts-$selection "$@" train.stop=7u
  expect 0 "$saccade" train tiny.yaml --out parts-$selection "$@" train.stop=13u --resume
  wants "continuing from" err
  expect 0 "$saccade" train tiny.yaml --out parts-$selection "$@" --resume --threads 3
  [ "$(digest parts-$selection)" = "$wanted" ] || fail "the result of the resumed $selection run differs"
done

# A run continues from 18u, between two validations (10u, 20u). The statistics of the estimator must
# include the updates before that.
estimator() { grep '"event":"validation"' "$1/metrics.jsonl" | tail -n 1 | grep -o '"estimator":{[^}]*}'; }
set -- attention.selection=hard train.stop=20u train.keep=100
expect 0 "$saccade" train tiny.yaml --out statistics "$@"
wanted=$(estimator statistics)
[ -n "$wanted" ] || fail "a validation has no statistics of the estimator"
rm statistics/checkpoints/step-00000020.h5 && ln -sf step-00000018.h5 statistics/checkpoints/last
expect 0 "$saccade" train tiny.yaml --out statistics "$@" --resume
# What lay after the checkpoint is recorded once, and not twice.
each_once() {
  local event
  for event in update validation; do
    grep "\"event\":\"$event\"" "$1/metrics.jsonl" | grep -o '"update":[0-9]*' | cut -d: -f2 >updates
    [ -s updates ] || fail "$1: no $event is recorded"
    sort -n -u updates | cmp -s - updates || fail "$1: a later $event is recorded twice"
  done
}
each_once statistics
[ "$(grep -c '"event":"validation"' statistics/metrics.jsonl)" -eq 2 ] ||
  fail "metrics.jsonl does not have two validations"
[ "$(estimator statistics)" = "$wanted" ] ||
  fail "the resumed run reports other statistics of the estimator"

# A run that was killed continues from its last checkpoint.
"$saccade" train tiny.yaml --out killed train.stop=3000u train.keep=1 >out 2>err &
pid=$!
until_true [ -e killed/checkpoints/last ]
kill -9 $pid
wait $pid 2>/dev/null
# A killed program may leave an incomplete line behind.
printf '{"event":"upd' >>killed/metrics.jsonl
"$saccade" inspect killed/checkpoints/last --json >inspect.json || fail "inspect"
stop=$(($(json inspect.json /state/update) + 5))u
expect 0 "$saccade" train tiny.yaml --out killed train.stop=$stop train.keep=1 --resume
expect 0 "$saccade" train tiny.yaml --out unkilled train.stop=$stop
[ "$(digest killed)" = "$(digest unkilled)" ] || fail "the result of the killed and resumed run differs"
json killed/metrics.jsonl '#' >/dev/null
each_once killed
# Without any checkpoint it starts from the beginning, and its record, too.
rm -r killed/checkpoints
expect 0 "$saccade" train tiny.yaml --out killed train.stop=$stop train.keep=1 --resume
wants "starting from the beginning" err
each_once killed
[ "$(digest killed)" = "$(digest unkilled)" ] || fail "the result of the run that started again differs"

# A run continues even if its config.yaml has a value that nothing reads, as older versions wrote it.
sed 's/^  layers: 3$/  layers: 5/' killed/config.yaml >old.yaml
cmp -s old.yaml killed/config.yaml && fail "the config has no decoder.layers to change"
expect 2 "$saccade" config check old.yaml
expect 0 "$saccade" train old.yaml --out killed --resume

# A run continues with its own config, without the values that it was started with.
expect 0 "$saccade" train tiny.yaml --out own decoder.hidden=20 train.stop=7u
expect 0 "$saccade" train --out own --resume train.stop=13u
expect 0 "$saccade" train tiny.yaml --out named decoder.hidden=20 train.stop=13u
[ "$(digest own)" = "$(digest named)" ] || fail "the run did not continue with its own config"
expect 4 "$saccade" train tiny.yaml --out own --resume
wants "decoder.hidden was 20, is 24" err
wants "with its own config if none is named" err
wants "start a new run from its weights with train.init_from=own/checkpoints/step-" err
expect 4 "$saccade" train --out own --resume optimizer.lr=1e-5
wants "optimizer.lr was 0.005, is 1e-5" err
start=$(grep -o 'train.init_from=[^ ]*' err) || fail "the error names no start for a new run"
expect 0 "$saccade" train tiny.yaml --out further decoder.hidden=20 optimizer.lr=1e-5 train.stop=2u "$start"
# Small scores have four decimals, as everywhere.
expect 0 "$saccade" train tiny.yaml --out short train.stop=1u
wants "best BLEU-4 0.0000 in short" out
expect 2 "$saccade" train --out nothing --resume
one_error "there is no run to resume"
[ ! -e nothing ] || fail "a usage error left a directory behind"

# If a run was killed after saving the best checkpoint and before linking to it, resuming repairs the
# link.
set -- train.validate_every=1u train.keep=100 train.best_metric=Bleu_1
expect 0 "$saccade" train tiny.yaml --out linked "$@" train.stop=30u
best=$(readlink linked/checkpoints/best-Bleu_1)
"$saccade" inspect linked/checkpoints/best-Bleu_1 --json >inspect.json || fail "inspect"
update=$(json inspect.json /state/update)
[ "$update" -gt 1 ] || fail "the first checkpoint is the best; this test needs a later one"
expect 0 "$saccade" train tiny.yaml --out unlinked "$@" train.stop=${update}u
ln -sf step-00000001.h5 unlinked/checkpoints/best-Bleu_1
expect 0 "$saccade" train tiny.yaml --out unlinked "$@" train.stop=$((update + 1))u --resume
[ "$(readlink unlinked/checkpoints/best-Bleu_1)" = "$best" ] || fail "the best link is still old"

# A run goes on with the gradient groups that it began with, also one that is older than these groups: with its own
# config and with a new one.
expect 0 "$saccade" train tiny.yaml --out one-group train.shard=2 train.gradient_groups=1
expect 0 "$saccade" train tiny.yaml --out groups train.shard=2
[ "$(digest one-group)" != "$(digest groups)" ] || fail "four groups of shards are added up as one"
expect 0 "$saccade" train tiny.yaml --out former train.shard=2 train.gradient_groups=1 train.stop=7u
"$(dirname "$json_value")/forge_checkpoint" former/checkpoints/step-00000007.h5 older.h5 config \
  '  gradient_groups: 1
' '' || fail "the checkpoint cannot be made older"
cp older.h5 former/checkpoints/step-00000007.h5
sed -i '/gradient_groups/d' former/config.yaml
expect 0 "$saccade" train --out former --resume train.stop=13u
expect 0 "$saccade" train tiny.yaml --out former train.shard=2 --resume
[ "$(digest former)" = "$(digest one-group)" ] || fail "an older run does not go on with one group"
exit 0

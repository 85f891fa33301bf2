# What can be wrong with the directory of a run: another training in it, damaged files, full disks,
# changed configs.
. "$(dirname "${BASH_SOURCE[0]}")/support.sh"

# If several trainings start in one directory at once, only one of them runs.
for i in $(seq 8); do
  ("$saccade" train tiny.yaml --out crowd train.stop=40u >/dev/null 2>err.$i
    echo $? >code.$i) &
done
wait
[ "$(cat code.* | grep -c '^0$')" -eq 1 ] ||
  fail "not exactly one training ran; the exit codes are $(cat code.* | tr '\n' ' ')"
[ "$(cat code.* | grep -c '^7$')" -eq 7 ] ||
  fail "not all other trainings were refused; the exit codes are $(cat code.* | tr '\n' ' ')"

"$saccade" train tiny.yaml --out run train.stop=100000u train.checkpoint_every=8u \
  train.validate_every=100000u >/dev/null 2>first.err &
pid=$!
until_true [ -e run/checkpoints/last ]
expect 7 "$saccade" train tiny.yaml --out run --resume
one_error "run: another saccade is training here (process $pid)"

# The state that `runs` shows for each run.
state() { "$saccade" runs . --json >runs.json || fail "runs"; json runs.json "/$1/state"; }
[ "$(state 1)" = training ] || fail "the state of a run in training is $(state 1)"
kill -9 $pid
wait $pid 2>/dev/null
[ "$(state 1)" = "broken off" ] || fail "the state of a killed run is $(state 1)"
[ "$(state 0)" = finished ] || fail "the state of a finished run is $(state 0)"
[ "$(json runs.json /0/directory)" = ./crowd ] || fail "the runs are not in the order of their names"
[ "$(json runs.json /0/updates)" -eq 40 ] || fail "the finished run does not have 40 updates"
[ "$(json runs.json /0/best)" != null ] || fail "the finished run has no best score"
# A kill between the last checkpoint and the line that says the end: --resume writes the line, once.
cp crowd/metrics.jsonl told.jsonl
cp -r crowd untold
sed -i '/"event": *"end"/d' untold/metrics.jsonl
[ "$(state 2)" = "broken off" ] || fail "the state of a run without its end is $(state 2)"
for _ in 1 2; do
  for run in untold crowd; do
    expect 0 "$saccade" train tiny.yaml --out $run train.stop=40u --resume
    wants "this run is finished already" err
  done
  [ "$(state 2)" = finished ] || fail "the state of a run that was resumed at its end is $(state 2)"
done
cmp told.jsonl crowd/metrics.jsonl || fail "the lines of a finished run changed"
[ "$(wc -l <untold/metrics.jsonl)" -eq "$(wc -l <told.jsonl)" ] || fail "the end was not told once"
tail -n 1 untold/metrics.jsonl >end.json
tail -n 1 told.jsonl >told.json
for key in event reason update epoch parameters best/Bleu_4 best_checkpoint; do
  [ "$(json end.json /$key)" = "$(json told.json /$key)" ] || fail "the end that was told later has another $key"
done
awk -v ms="$(json end.json /ms_per_update)" 'BEGIN { exit !(ms > 0) }' || fail "the end has no cost of an update"
# Lines that no run writes change nothing and are counted.
printf '{"event":7}\n{"event":"update","update":"three"}\n{"a":1}\n' >>untold/metrics.jsonl
expect 0 "$saccade" runs . --json
cp out runs.json
[ "$(json runs.json /2/state)" = finished ] || fail "lines that are not of a run changed its state"
wants "untold/metrics.jsonl: 3 lines are not of a run" err
[ "$(json runs.json /2/unreadable_lines)" -eq 3 ] || fail "the unreadable lines are not counted"
rm -r untold
expect 0 "$saccade" runs .
wants "./crowd" out
wants "BLEU-4" out # JSON has the key
[ "$(json runs.json /0/metric)" = Bleu_4 ] || fail "the JSON does not name the metric by its key"
expect 3 "$saccade" runs nowhere
one_error "nowhere: no such folder"

# A killed training leaves no lock behind. What changed in the config is named.
set -- "$saccade" train tiny.yaml --out run train.validate_every=100000u --resume
expect 4 "$@" decoder.hidden=25
wants "decoder.hidden was 24, is 25" err
expect 4 "$@" seed=2 data.min_count=30
wants "seed was 1, is 2" err
wants "data.min_count was 1, is 30" err
wants "vocabulary" err

# If the newest checkpoint is damaged, the one before it is used, with a warning.
newest=$(printf '%s\n' run/checkpoints/step-*.h5 | tail -n 1)
update=$((10#$(basename "$newest" .h5 | tr -dc 0-9)))
printf 'X' | dd of="$newest" bs=1 seek=5000 conv=notrunc status=none
expect 0 "$@" train.stop=$((update + 3))u
wants "$newest" err
wants "falling back to run/checkpoints/step-" err
# If all checkpoints are damaged, the run cannot continue.
for file in run/checkpoints/step-*.h5; do truncate -s 4000 "$file"; done
expect 4 "$@"
grep -q "^error: .*none of the" err || fail "the message does not name all checkpoints as damaged"

# If no space is left, the exit code is 5, and the last checkpoint stays intact.
expect 0 "$saccade" train tiny.yaml --out full train.stop=8u
good=$(digest full)
(
  ulimit -f 40 # KiB; a checkpoint is larger
  expect 5 "$saccade" train tiny.yaml --out full --resume
  wants "full/checkpoints/step-" err
  wants "ulimit -f" err
) || exit 1
[ "$(digest full)" = "$good" ] || fail "the last checkpoint changed"
ls full/checkpoints | grep -q tmp && fail "a temporary file was left behind"
expect 0 "$saccade" train tiny.yaml --out full --resume

# A directory that is not of a run is not changed.
mkdir mine
echo text >mine/lock
echo notes >mine/notes
for resume in "" --resume; do
  expect 7 "$saccade" train tiny.yaml --out mine $resume
  one_error "mine: exists"
done
[ "$(ls mine | tr '\n' ' ')$(cat mine/lock)" = "lock notes text" ] || fail "mine was changed"

touch file
expect 5 "$saccade" train tiny.yaml --out file/run
one_error "file/run"
if [ "$(id -u)" -ne 0 ]; then
  mkdir -m 555 locked
  expect 5 "$saccade" train tiny.yaml --out locked/run
  one_error "locked"
fi

# Too little memory gives an error message instead of a crash. (With a sanitizer this is skipped, because
# the limit leaves no space for its shadow memory.)
(
  ulimit -v 3000000
  "$saccade" --version >/dev/null 2>&1 || exit 0
  expect 9 "$saccade" train tiny.yaml --out huge decoder.hidden=16384
  one_error "out of memory"
) || exit 1

# If training diverges, the last good checkpoint is kept, and the message names it.
expect 6 "$saccade" train tiny.yaml --out nan optimizer.lr=1e30 optimizer.clip_norm=0 \
  train.checkpoint_every=1u train.stop=50u
grep -q "^error: .*update .*last good checkpoint is nan/checkpoints/step-" err ||
  fail "the message does not name the update and the last good checkpoint"
expect 0 "$saccade" inspect nan/checkpoints/last
wants '"event":"diverged"' nan/metrics.jsonl
exit 0

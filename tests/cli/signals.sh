# After SIGINT, SIGTERM, SIGUSR1 or SIGHUP a run finishes its update, saves a checkpoint and exits with 128 + N. A
# second SIGINT ends it at once.
. "$(dirname "${BASH_SOURCE[0]}")/support.sh"

# start RUN: starts a training in the background and returns after its first updates.
start() {
  local before=0
  [ -e "$1/metrics.jsonl" ] && before=$(wc -l <"$1/metrics.jsonl")
  "$saccade" train tiny.yaml --out "$1" train.stop=100000u train.checkpoint_every=1000u \
    train.validate_every=100000u --resume >out 2>err &
  pid=$!
  until_true has_more_lines "$1/metrics.jsonl" "$before"
}

stopped=0
for entry in INT:130 TERM:143 USR1:138 HUP:129; do
  start run
  stop "${entry%:*}" "${entry#*:}"
  wants "--resume" err
  [ -e run/checkpoints/last ] || fail "no checkpoint was saved"
  "$saccade" inspect run/checkpoints/last --json >inspect.json
  update=$(json inspect.json /state/update)
  [ "$update" -gt $stopped ] || fail "there was no update since the last stop"
  stopped=$update
done
# The run in three parts equals the uninterrupted one.
expect 0 "$saccade" train tiny.yaml --out whole train.stop=${stopped}u \
  train.checkpoint_every=1000u train.validate_every=100000u
[ "$(digest run)" = "$(digest whole)" ] || fail "the result of the stopped run differs"

# Two signals follow each other, before or right after the first checkpoint.
start twice
kill -INT $pid
kill -INT $pid
wait $pid
[ $? -eq 130 ] || fail "the second SIGINT did not stop it"

# A signal never crashes the program, at whatever moment it comes, such as within the matrix products of a
# model with wide layers.
for i in $(seq 12); do
  "$saccade" train tiny.yaml --out "quick$i" train.stop=100000u train.validate_every=100000u \
    train.checkpoint_every=100000u decoder.hidden=128 decoder.embedding=64 train.batch=32 \
    train.shard=32 --threads 1 >out 2>err &
  pid=$!
  sleep "0.$((20 + i * 5))"
  stop USR1 138
done
exit 0

# kills.sh SACCADE JSON_VALUE KILLS [SEED]: ends training, comparing, converting and reporting by SIGKILL at so
# many random moments. Afterwards the same command goes on; in the end the bits are those of an undisturbed
# run, no file is cut off, and no line of metrics.jsonl is there twice.
kills=$3 seed=${4:-1}
. "$(dirname "${BASH_SOURCE[0]}")/../cli/support.sh"
RANDOM=$seed
failures=0 done_kills=0
bad() {
  failures=$((failures + 1))
  echo "FAILED: $*" >&2
}

# disturbed LONGEST COMMAND...: starts the command and kills it after at most LONGEST milliseconds, until it
# ends by itself.
disturbed() {
  local longest=$1 code
  shift
  for ((i = 0; i < 12; ++i)); do
    "$@" >out 2>err </dev/null &
    local pid=$!
    sleep "$(printf '0.%03d' $((RANDOM % longest)))"
    if kill -KILL $pid 2>/dev/null; then done_kills=$((done_kills + 1)); fi
    wait $pid 2>/dev/null
    code=$?
    if [ $code -ne 137 ]; then
      [ $code -eq 0 ] || bad "exit code $code after a kill: $* ($(tail -n 1 err))"
      [ $code -ne 0 ] || return 0
      break
    fi
  done
  "$@" >out 2>err </dev/null || bad "exit code $? in the end: $* ($(tail -n 1 err))"
}

# twice FILE: the updates that metrics.jsonl has more than once.
twice() { grep '"event":"update"' "$1" | grep -o '"update":[0-9]*' | sort | uniq -d; }

soft="" hard="attention.selection=hard"
critical="objective.self_critical.start=12u objective.self_critical.samples=2"
tuned="encoder.channels=[8,8,8,8] encoder.lr=1e-3"
for kind in soft hard critical tuned; do
  expect 0 "$saccade" train tiny.yaml --out "$kind" ${!kind} --threads 1
done
write_study
sed -i 's/seeds: .*/seeds: [1]/' study.yaml
expect 0 "$saccade" compare study.yaml --out study
expect 0 "$saccade" convert soft soft.h5 --half

while [ $done_kills -lt "$kills" ]; do
  for kind in soft hard critical tuned; do
    rm -rf run
    disturbed 700 "$saccade" train tiny.yaml --out run ${!kind} --resume
    [ "$(digest run)" = "$(digest $kind)" ] || bad "$kind: other bits after kills"
    [ -z "$(twice run/metrics.jsonl)" ] || bad "$kind: metrics.jsonl has twice: $(twice run/metrics.jsonl)"
    for file in run/checkpoints/*.h5; do
      "$saccade" inspect "$file" --json >out 2>err || bad "$kind: $file cannot be read"
    done
  done
  rm -rf other
  disturbed 900 "$saccade" compare study.yaml --out other
  for one in soft/seed-1 hard/seed-1; do
    [ "$(digest other/$one)" = "$(digest study/$one)" ] || bad "compare: other bits of $one after kills"
  done
  rm -f other.h5
  disturbed 40 "$saccade" convert soft other.h5 --half --force
  cmp -s other.h5 soft.h5 || bad "convert: other bytes after kills"
done
echo "kills $done_kills inputs, $failures failures"
[ $failures -eq 0 ]

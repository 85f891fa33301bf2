# kills.sh SACCADE JSON_VALUE KILLS [SEED]: ends training (on one process and on two ranks, and while it fills a
# cache of features), comparing, converting and reporting by SIGKILL at so many random moments. Afterwards the same command
# goes on; in the end the bits are those of an undisturbed run, no file is cut off, and no line of metrics.jsonl is
# there twice.
kills=$3 seed=${4:-1}
. "$(dirname "${BASH_SOURCE[0]}")/../cli/support.sh"
RANDOM=$seed
folder=$(dirname "$1")
export ASAN_OPTIONS=detect_leaks=0  # memory that OpenMPI keeps
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
has_ranks=
if command -v mpirun >/dev/null && [ -e "$folder/lib/saccade/libsaccade-ranks.so" ]; then
  has_ranks=yes
  cp -r "$folder/lib" "$base/"
else
  echo "ranks are skipped: there is no mpirun, or the program was built without MPI" >&2
fi
failures=0 done_kills=0
bad() {
  failures=$((failures + 1))
  echo "FAILED: $*" >&2
}

# victim PID COMMAND: the process to kill: of ranks, one of them.
victim() {
  if [ "$2" = mpirun ]; then pgrep -P "$1" | sed -n "$((1 + RANDOM % 2))p"; else echo "$1"; fi
}
# ended PID COMMAND: waits for the end. OpenMPI's mpirun (4.1) sometimes waits for itself for ever when all ranks have
# ended (a lock in PMIx_server_finalize): then it is ended, too. Ranks that live on after a kill are a finding.
ended() {
  if [ "${2-}" = mpirun ]; then
    for ((t = 0; t < 300; ++t)); do
      [ -e "/proc/$1" ] && ! grep -q '^State:\sZ' "/proc/$1/status" 2>/dev/null || break
      sleep 0.1
    done
    if [ $t -eq 300 ]; then
      [ -z "$(pgrep -r R,S,D -P "$1")" ] || bad "ranks live on 30 s after a kill"
      echo "mpirun waits for itself; it is ended" >&2
      kill -KILL "$1"
    fi
  fi
  wait "$1" 2>/dev/null
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
    local killed=
    if kill -KILL $(victim $pid "$1") 2>/dev/null; then killed=yes done_kills=$((done_kills + 1)); fi
    ended $pid ${killed:+"$1"}
    code=$?
    [ ! -e page.html ] || tail -c 10 page.html | grep -q "</html>" || bad "the page is cut off: $*"
    if [ $code -ne 137 ] && ! [ "$1$killed" = mpirunyes ]; then
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
ranked="attention.selection=hard train.shard=2"
frozen="encoder.type=vit encoder.vit.width=12 encoder.vit.layers=2 encoder.vit.heads=2 encoder.vit.patch=4
  encoder.positions=learned"
expect 0 "$saccade" train tiny.yaml --out first $frozen train.stop=1u
expect 0 "$saccade" convert --encoder first vit.safetensors
frozen+=" encoder.weights=vit.safetensors encoder.frozen_stages=-1 encoder.augment.flip=true encoder.augment.views=2
  encoder.cache=cache data.scenes.train=400"
kinds="soft hard critical tuned frozen"
[ -z "$has_ranks" ] || kinds+=" ranked"
for kind in $kinds; do
  expect 0 "$saccade" train tiny.yaml --out "$kind" ${!kind} --threads 1
done
write_study
sed -i 's/seeds: .*/seeds: [1]/' study.yaml
expect 0 "$saccade" compare study.yaml --out study
expect 0 "$saccade" convert soft soft.h5 --half

while [ $done_kills -lt "$kills" ]; do
  for kind in $kinds; do
    rm -rf run cache
    on=()
    [ $kind != ranked ] || on=(mpirun --bind-to none -n 2)
    disturbed 700 "${on[@]}" "$saccade" train tiny.yaml --out run ${!kind} --resume
    [ "$(digest run)" = "$(digest $kind)" ] || bad "$kind: other bits after kills"
    [ -z "$(twice run/metrics.jsonl)" ] || bad "$kind: metrics.jsonl has twice: $(twice run/metrics.jsonl)"
    for file in run/checkpoints/*.h5; do
      "$saccade" inspect "$file" --json >out 2>err || bad "$kind: $file cannot be read"
    done
    if [ $kind = frozen ]; then
      [ "$(ls cache/*.rows | wc -l)" -eq "$(ls cache | wc -l)" ] || bad "the cache has parts: $(ls cache)"
      rm -rf again
      expect 0 "$saccade" train tiny.yaml --out again ${!kind} --threads 1
      [ "$(digest again)" = "$(digest frozen)" ] || bad "the cache that was filled after kills has other features"
    fi
  done
  rm -rf other
  disturbed 900 "$saccade" compare study.yaml --out other
  for one in soft/seed-1 hard/seed-1; do
    [ "$(digest other/$one)" = "$(digest study/$one)" ] || bad "compare: other bits of $one after kills"
  done
  rm -f page.html
  disturbed 200 "$saccade" report soft --out page.html
  rm -f page.html other.h5
  disturbed 40 "$saccade" convert soft other.h5 --half --force
  cmp -s other.h5 soft.h5 || bad "convert: other bytes after kills"
done
echo "kills $done_kills inputs, $failures failures"
[ $failures -eq 0 ]

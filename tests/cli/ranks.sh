# Several processes that mpirun starts together give the bits of one; signals, deaths and resuming keep them.
models=of_the_tree  # the program stays where its module for MPI lies
. "$(dirname "${BASH_SOURCE[0]}")/support.sh"
export ASAN_OPTIONS=detect_leaks=0  # memory that OpenMPI keeps

expect 2 env OMPI_COMM_WORLD_SIZE=2 "$saccade" list attention
one_error "works in one process"
if ! command -v mpirun >/dev/null || [ ! -e "$(dirname "$saccade")/lib/saccade/libsaccade-ranks.so" ]; then
  expect 2 env OMPI_COMM_WORLD_SIZE=2 "$saccade" train tiny.yaml --out alone
  [ -e "$(dirname "$saccade")/lib/saccade/libsaccade-ranks.so" ] || one_error "built without MPI"
  echo "skipped: there is no mpirun, or the program was built without MPI"
  exit 77
fi
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1

# ranks N ARGUMENT...: the program on N ranks of this machine.
ranks() {
  local count=$1
  shift
  timeout 900 mpirun --bind-to none -n "$count" "$saccade" "$@" --threads 1
}
# The events of a run without times and speeds.
events() {
  sed -E 's/"(seconds|[a-z_]*_per_second|ms_per_update|peak_memory_bytes|time|wall[a-z_]*|reward_time_share)":[-0-9.e+]*,?//g' "$1/metrics.jsonl" | grep -v '"event":"end"'
}

# Four shards in a batch, of unequal numbers at the end of an epoch; hard attention whose baseline joins all shards.
shards="train.shard=2"
same() { # NAME OPTION...
  local name=$1 count
  shift
  expect 0 "$saccade" train tiny.yaml --out "$name" --threads 2 --report-images 2 $shards "$@"
  for count in 2 4; do
    expect 0 ranks $count train tiny.yaml --out "$name-$count" --report-images 2 $shards "$@"
    [ "$(digest "$name-$count")" = "$(digest "$name")" ] || fail "$name: the bits differ on $count ranks"
    events "$name" >one
    events "$name-$count" >many
    cmp -s one many || fail "$name: metrics.jsonl differs on $count ranks: $(diff one many | head -n 4)"
    [ -s "$name-$count/report.html" ] || fail "$name: $count ranks wrote no report"
  done
}
same soft optimizer.ema=0.9
same hard attention.selection=hard attention.hard.baseline=ema_per_length optimizer.clip_norm=0
same located "objective.supervision.localizer={weight: 1}" train.captions=whole_images
same rewarded objective.self_critical.start=10u objective.self_critical.samples=3

expect 0 "$saccade" evaluate soft --json --samples 2
cp out one
expect 0 ranks 2 evaluate soft --json --samples 2
cmp -s one out || fail "an evaluation on 2 ranks has other numbers"

# All ranks fill the cache of a frozen network, and the first one writes it; the second run computes nothing.
vit=(encoder.type=vit encoder.positions=learned encoder.vit.width=12 encoder.vit.layers=1 encoder.vit.heads=2
  encoder.vit.patch=8)
expect 0 "$saccade" train tiny.yaml --out first train.stop=1u "${vit[@]}"
expect 0 "$saccade" convert --encoder first vit.safetensors
frozen=("${vit[@]}" encoder.weights=vit.safetensors encoder.frozen_stages=-1 encoder.augment.flip=true
  encoder.augment.views=2)
expect 0 "$saccade" train tiny.yaml --out frozen $shards "${frozen[@]}" encoder.cache=cache-1
expect 0 ranks 4 train tiny.yaml --out frozen-4 $shards "${frozen[@]}" encoder.cache=cache-4
[ "$(digest frozen-4)" = "$(digest frozen)" ] || fail "the bits differ with a cache that 4 ranks filled"
wants "48 of 48 views were computed now" err
for file in cache-1/*; do cmp "$file" "cache-4/${file#*/}" || fail "the cache of 4 ranks has other bytes"; done
[ "$(ls cache-1)" = "$(ls cache-4)" ] || fail "the cache of 4 ranks has other files"
expect 0 ranks 2 train tiny.yaml --out frozen-2 $shards "${frozen[@]}" encoder.cache=cache-1
wants "0 of 48 views were computed now" err
[ "$(digest frozen-2)" = "$(digest frozen)" ] || fail "the bits differ with a cache that is full"

# What ranks cannot share.
expect 2 ranks 3 train tiny.yaml --out three
[ "$(grep -c '^error: ' err)" -eq 1 ] || fail "an error that all ranks find is told more than once"
wants "3 ranks cannot share" err
[ ! -e three ] || fail "a refused run leaves a directory"
expect 2 ranks 2 train tiny.yaml --out one-group train.gradient_groups=1
expect 2 "$saccade" train tiny.yaml --out odd train.gradient_groups=6
one_error "power of two"

# A signal to any rank saves and ends all; a killed rank ends the job. Both go on with other numbers of ranks.
long="train.stop=100000u train.checkpoint_every=10u train.validate_every=100000u"
start() { # COUNT
  local before=0
  [ -e run/metrics.jsonl ] && before=$(wc -l <run/metrics.jsonl)
  mpirun --bind-to none -n "$1" "$saccade" train tiny.yaml --out run --resume --threads 1 $shards $long >out 2>err &
  pid=$!
  until_true has_more_lines run/metrics.jsonl $((before + 12))
}
# one_of RANK: the process of this rank.
one_of() {
  local process
  for process in $(pgrep -f -- "--out run --resume"); do
    tr '\0' '\n' <"/proc/$process/environ" 2>/dev/null | grep -q "^OMPI_COMM_WORLD_RANK=$1\$" && echo "$process" && return
  done
}
start 2
kill -TERM "$(one_of 1)"
wait $pid
code=$?
pid=
[ $code -eq 143 ] || fail "exit code $code instead of 143 after SIGTERM to rank 1"
wants "stopped and saved" err
start 4
kill -KILL "$(one_of 3)"
killed=$SECONDS
wait $pid
[ $((SECONDS - killed)) -le 10 ] || fail "the job of a killed rank goes on for $((SECONDS - killed)) s"
pid=
grep -qi "killed\|signal 9" err || fail "nothing is said of a killed rank"
"$saccade" inspect run/checkpoints/last --json >inspect.json
last=$(($(json inspect.json /state/update) + 9))
expect 0 "$saccade" train tiny.yaml --out run --resume --threads 1 $shards $long train.stop=${last}u
expect 0 "$saccade" train tiny.yaml --out whole $shards $long train.stop=${last}u
[ "$(digest run)" = "$(digest whole)" ] || fail "a run that was stopped, killed and resumed has other bits"

# Runs of a comparison are trained by ranks, one each, and finished ones are kept.
write_study
expect 0 "$saccade" compare study.yaml --out study --report-images 0 $shards train.stop=12u
expect 0 ranks 2 compare study.yaml --out study-2 --report-images 0 $shards train.stop=12u
for arm in soft hard; do
  for seed in 1 2; do
    [ "$(digest study/$arm/seed-$seed)" = "$(digest study-2/$arm/seed-$seed)" ] || fail "$arm, seed $seed differs"
  done
done
[ -s study-2/compare.json ] || fail "a comparison on ranks writes no result"
expect 2 ranks 4 compare study.yaml --out study-3 --report-images 0 $shards train.stop=12u --jobs 3
wants "cannot be shared out equally" err
expect 0 ranks 4 compare study.yaml --out study-4 --report-images 0 $shards train.stop=12u --jobs 2
wants "ranks 2 to 3" err
for run in soft/seed-1 soft/seed-2 hard/seed-1 hard/seed-2; do
  [ "$(digest study/$run)" = "$(digest study-4/$run)" ] || fail "$run differs where two ranks trained it"
done
touch study-2/before
expect 0 ranks 2 compare study.yaml --out study-2 --report-images 0 $shards train.stop=12u
[ -z "$(find study-2 -name 'step-*.h5' -newer study-2/before)" ] || fail "a finished run was trained again"

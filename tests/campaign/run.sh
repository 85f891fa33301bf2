#!/usr/bin/env bash
# The whole campaign, for as long as one likes:
#   bash tests/campaign/run.sh [--minutes N] [--only NAME] [--seed K] [--fuzz]
# NAME is a reader (campaign --list), flips, numerics, gradients, scarcity, kills, serve or old. The readers share the
# minutes; the others take what they take, serve 10 minutes, numerics 15. Prints a table. A run that was stopped goes on when it is
# started again with the same options. The input that a reader failed at is kept in runs/campaign/failed/READER: once
# mended, it belongs in tests/campaign/cases/READER, which every run tries first. With --fuzz, readers get inputs by
# libFuzzer, which needs clang and looks which code an input reaches: it is built in build/fuzz, keeps its inputs in
# runs/campaign/inputs, and goes on with them the next time.
# Exits 0 where nothing fails, 1 where something does, 2 on options that it does not know.
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
minutes=30 only= seed=1 fuzz=
refuse() { echo "$1" >&2 && exit 2; }
while [ $# -gt 0 ]; do
  case $1 in
    --fuzz) fuzz=yes && shift && continue ;;
    --minutes | --only | --seed) [ $# -gt 1 ] || refuse "$1 needs a value" ;;&
    --minutes) minutes=$2 ;;
    --only) only=$2 ;;
    --seed) seed=$2 ;;
    --help) sed -n '2,10s/^# //p' "$0" && exit 0 ;;
    *) refuse "$1 is not an option; see bash tests/campaign/run.sh --help" ;;
  esac
  shift 2
done
[[ $minutes =~ ^[1-9][0-9]{0,5}$ ]] || refuse "--minutes $minutes: give a whole number from 1"
[[ $seed =~ ^[0-9]{1,18}$ ]] || refuse "--seed $seed: give a whole number"
bin=$PWD/build/release here=$PWD/tests/campaign kept=$PWD/runs/campaign
program=$bin/tests/campaign/campaign
[ -x "$program" ] || refuse "$program is missing: build first (bash tests/run.sh -L campaign)"
mapfile -t readers < <("$program" --list)
others=(flips numerics gradients scarcity kills serve old)
# The HDF5 library runs in another process, whose code libFuzzer does not see.
[ -z "$fuzz" ] || { mapfile -t readers < <("$program" --list | grep -vx hdf5) && others=(); }
if [ -n "$only" ]; then
  if printf '%s\n' "${readers[@]}" | grep -qxF -- "$only"; then
    readers=("$only")
  elif [ ${#others[@]} -gt 0 ] && printf '%s\n' "${others[@]}" | grep -qxF -- "$only"; then
    readers=()
  else
    refuse "--only $only: there is no such campaign${fuzz:+ with --fuzz}; name a reader ($program --list)${others:+ or one of ${others[*]}}"
  fi
fi
seconds=$((minutes * 60 / (${#readers[@]} > 0 ? ${#readers[@]} : 1)))
[ $seconds -gt 0 ] || refuse "--minutes $minutes: leaves no second to each of ${#readers[@]} readers; give more"
mkdir -p "$kept"
failed=0
# What is done of this run; gone when all of it is.
finished=$kept/finished-$(sha1sum <"$program" | cut -c1-8)-$minutes-$seed${only:+-$only}${fuzz:+-fuzz}
touch "$finished"
printf '%-20s %12s %9s\n' campaign inputs failures

# one NAME COMMAND...: a line of the table.
one() {
  local name=$1 result code inputs more reason
  shift
  if [ -n "$only" ] && [ "$only" != "$name" ]; then return; fi
  if grep -a "^$name " "$finished"; then return; fi
  result=$("$@" 2>"$kept/$name.err")
  code=$?
  inputs=$(grep -o '[0-9]\+ inputs' <<<"$result" | awk '{ sum += $1 } END { print sum + 0 }')
  more=$(grep -o '[0-9]\+ of them read\|edges.*' <<<"$result" | tr '\n' ' ')
  if [ $code -eq 0 ] && [ "$inputs" -gt 0 ]; then
    printf '%-20s %12s %9s  %s\n' "$name" "$inputs" 0 "$more" | tee -a "$finished"
    return
  fi
  failed=1
  reason=$(grep -a 'FAILED\|ERROR\|^[a-z_0-9]*: ' "$kept/$name.err" | tail -n 1)
  [ $code -le 128 ] || reason="signal $((code - 128)) $reason"
  printf '%-20s %12s %9s  exit code %s: %s\n' "$name" "$inputs" 1 $code "${reason:-see $kept/$name.err}"
  if [ -f "$kept/$name.last" ]; then
    mkdir -p "$kept/failed/$name"
    local input=$kept/failed/$name/seed-$seed-$(sha1sum <"$kept/$name.last" | cut -c1-8)
    mv "$kept/$name.last" "$input" && echo "  its input: $input"
  fi
}
# with_cases READER OPTIONS...: what failed once, and then mutations.
with_cases() {
  local reader=$1
  if [ -d "$here/cases/$reader" ]; then "$program" "$reader" "$here/cases/$reader"/* || return; fi
  "$program" "$@"
}

# build_fuzz: the readers that need neither models nor pictures are in a program of their own, which is built in a
# few minutes; the others need most of saccade.
build_fuzz() {
  CC=clang CXX=clang++ cmake -S . -B build/fuzz -G Ninja -DCMAKE_BUILD_TYPE=None "-DCMAKE_CXX_FLAGS=-O1 -gline-tables-only -w" \
    -DSACCADE_SANITIZE=address,fuzzer-no-link -DSACCADE_UNITY=ON -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON \
    -DSACCADE_ARCH=x86-64-v3 && cmake --build build/fuzz -j "$(nproc)" --target "$1"
}
# fuzzed READER: libFuzzer's inputs, and the edges of the code that they reach.
fuzzed() {
  local reader=$1 inputs=$kept/inputs/$1 fuzzer=build/fuzz/tests/campaign/campaign_fuzz
  if grep -qx "$reader" <<<"$few"; then fuzzer+=_few; fi
  "$program" "$reader" --write "$kept/inputs/seeds/$reader" --seeds "$here/seeds" || return 1
  mkdir -p "$inputs"
  CAMPAIGN_READER=$reader ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 $fuzzer "$inputs" "$kept/inputs/seeds/$reader" \
    $([ ! -d "$here/cases/$reader" ] || echo "$here/cases/$reader") -dict="$kept/inputs/seeds/$reader.words" \
    -max_total_time=$seconds -seed="$seed" -timeout=5 -malloc_limit_mb=512 -rss_limit_mb=4096 -max_len=65536 \
    -print_final_stats=1 -artifact_prefix="$kept/$reader-" >"$kept/$reader.log" 2>&1
  local code=$?
  [ $code -eq 0 ] || tail -n 40 "$kept/$reader.log" >&2
  sed -n 's/^stat::number_of_executed_units: *\([0-9]*\)/\1 inputs/p' "$kept/$reader.log"
  sed -n 's/.*cov: \([0-9]*\) .*/edges reached: \1/p' "$kept/$reader.log" | tail -n 1
  sed -n 's/^INFO: Loaded 1 PC tables (\([0-9]*\) PCs).*/edges of the program: \1/p' "$kept/$reader.log"
  return $code
}

if [ -n "$fuzz" ]; then
  few=$(printf '%s\n' safetensors torch checkpoint sealed_checkpoint rows npy npz references results judgements \
    document_frequencies ptb words meteor paraphrases)
  for target in campaign_fuzz_few campaign_fuzz; do
    if [ -n "$only" ] && grep -qx "$only" <<<"$few" && [ $target = campaign_fuzz ]; then continue; fi
    build_fuzz $target >"$kept/$target.log" 2>&1 || { tail -n 3 "$kept/$target.log" >&2; exit 2; }
  done
fi
for reader in "${readers[@]}"; do
  if [ -n "$fuzz" ]; then
    one "$reader" fuzzed "$reader"
  else
    one "$reader" with_cases "$reader" --seconds $seconds --seed "$seed" --seeds "$here/seeds" --keep "$kept"
  fi
done
if [ -z "$fuzz" ]; then
  json=$bin/tests/cli/json_value
  # gradients: decoders with attention that are drawn at random, against central differences.
  gradients() {
    SACCADE_DRAWS=1000 SACCADE_SEED=$seed "$bin/tests/captioning/test_captioning_f64" -w NoTests "*drawn at random" >&2 &&
      echo "1000 inputs"
  }
  old_files() { bash "$here/old.sh" "$bin/saccade" "$json" >&2 && echo "4 inputs"; }
  one flips "$program" --flips --every 1
  one numerics "$bin/tests/campaign/campaign_numerics" --seconds 60 --seed "$seed"  # of each of 15 kernels
  one gradients gradients
  one scarcity bash "$here/scarcity.sh" "$bin/saccade" "$json" "$bin/tests/campaign/fail_nth.so" 1
  one kills bash "$here/kills.sh" "$bin/saccade" "$json" 200 "$seed"
  one serve bash "$here/serve.sh" "$bin/saccade" "$json" "$bin/tests/campaign/campaign_serve" 600 "$seed"
  one old old_files
fi
[ $failed -ne 0 ] || rm -f "$finished"
exit $failed

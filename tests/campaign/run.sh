#!/usr/bin/env bash
# The whole campaign, for as long as one likes:
#   bash tests/campaign/run.sh [--minutes N] [--only NAME] [--seed K] [--fuzz]
# NAME is a reader (campaign --list), flips, numerics, gradients, scarcity, kills or serve. Prints a line for each campaign: its
# inputs, and how many failed. The readers share the minutes. With --fuzz they get inputs by libFuzzer, which needs
# clang and looks which code an input reaches: it is built in build/fuzz, keeps its inputs in runs/campaign/inputs,
# and goes on with them the next time.
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
minutes=30 only= seed=1 fuzz=
while [ $# -gt 0 ]; do
  case $1 in
    --fuzz) fuzz=yes && shift && continue ;;
    --minutes) minutes=$2 ;;
    --only) only=$2 ;;
    --seed) seed=$2 ;;
    *) sed -n '2,8s/^# //p' "$0" >&2 && exit 2 ;;
  esac
  shift 2
done
bin=$PWD/build/release here=$PWD/tests/campaign kept=$PWD/runs/campaign
program=$bin/tests/campaign/campaign
[ -x "$program" ] || { echo "$program is missing: build first (bash tests/run.sh -L campaign)" >&2; exit 2; }
mapfile -t readers < <("$program" --list)
others='flips numerics gradients scarcity kills serve'
if [ -n "$only" ]; then
  if printf '%s\n' "${readers[@]}" | grep -qx -- "$only"; then
    readers=("$only")
  elif grep -qw -- "$only" <<<"$others"; then
    readers=()
  else
    echo "--only $only: there is no such campaign; name a reader ($program --list) or one of $others" >&2
    exit 2
  fi
fi
seconds=$((minutes * 60 / (${#readers[@]} > 0 ? ${#readers[@]} : 1)))
if [ $seconds -eq 0 ]; then
  echo "--minutes $minutes: leaves no second to each of ${#readers[@]} readers; give more" >&2
  exit 2
fi
mkdir -p "$kept"
failed=0

# one NAME COMMAND...: a line of the table.
one() {
  local name=$1 line code
  shift
  if [ -n "$only" ] && [ "$only" != "$name" ]; then return; fi
  line=$("$@" 2>"$kept/$name.err")
  code=$?
  line=$(grep -o '[0-9]\+ inputs.*\|edges.*' <<<"$line" | tr '\n' ' ')
  if [ $code -eq 0 ] && [ -n "$line" ]; then
    printf '%-20s %s\n' "$name" "$line"
  else
    failed=1
    printf '%-20s FAILED: %s\n' "$name" "$(grep -a 'FAILED\|ERROR\|^[a-z_0-9]*: ' "$kept/$name.err" | tail -n 1)"
  fi
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
  # The HDF5 library runs in another process, whose code libFuzzer does not see.
  for reader in "${readers[@]}"; do [ "$reader" = hdf5 ] || one "$reader" fuzzed "$reader"; done
  exit $failed
fi
for reader in "${readers[@]}"; do
  one "$reader" "$program" "$reader" --seconds $seconds --seed "$seed" --seeds "$here/seeds" --keep "$kept"
done
one flips "$program" --flips --every 1
one numerics "$bin/tests/campaign/campaign_numerics" --seconds $((seconds > 60 ? seconds : 60)) --seed "$seed"
# gradients: decoders with attention that are drawn at random, against central differences.
gradients() {
  SACCADE_DRAWS=1000 SACCADE_SEED=$seed "$bin/tests/captioning/test_captioning_f64" -w NoTests "*drawn at random" >&2 &&
    echo "1000 inputs, 0 failures"
}
one gradients gradients
one scarcity bash "$here/scarcity.sh" "$bin/saccade" "$bin/tests/cli/json_value" "$bin/tests/campaign/fail_nth.so" 1
one kills bash "$here/kills.sh" "$bin/saccade" "$bin/tests/cli/json_value" 200 "$seed"
one serve bash "$here/serve.sh" "$bin/saccade" "$bin/tests/cli/json_value" "$bin/tests/campaign/campaign_serve" 600 "$seed"
exit $failed

#!/usr/bin/env bash
# The whole campaign, for as long as one likes: bash tests/campaign/run.sh [--minutes N] [--only NAME] [--seed K]
# NAME is a reader (campaign --list), scarcity or kills. Prints a line for each campaign: its inputs, and how
# many failed. The readers share the minutes.
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
minutes=30 only= seed=1
while [ $# -gt 0 ]; do
  case $1 in
    --minutes) minutes=$2 ;;
    --only) only=$2 ;;
    --seed) seed=$2 ;;
    *) sed -n '2,4s/^# //p' "$0" >&2 && exit 2 ;;
  esac
  shift 2
done
bin=build/release
program=$bin/tests/campaign/campaign
[ -x $program ] || { echo "$program is missing: build first (bash tests/run.sh -L campaign)" >&2; exit 2; }
mapfile -t readers < <($program --list)
seconds=$((minutes * 60 / ${#readers[@]}))
here=$PWD/tests/campaign
kept=$PWD/runs/campaign
mkdir -p "$kept"
failed=0

# one NAME COMMAND...: a line of the table.
one() {
  local name=$1 line
  shift
  if [ -n "$only" ] && [ "$only" != "$name" ]; then return; fi
  line=$("$@" 2>"$kept/$name.err" | tail -n 1)
  if [ "${PIPESTATUS[0]}" -eq 0 ] && [ -n "$line" ]; then
    printf '%-20s %12s inputs   0 failed\n' "$name" "$(grep -o '[0-9]\+' <<<"$line" | head -n 1)"
  else
    failed=1
    printf '%-20s FAILED: %s\n' "$name" "$(tail -n 1 "$kept/$name.err")"
  fi
}

for reader in "${readers[@]}"; do
  one "$reader" "$program" "$reader" --seconds $seconds --seed "$seed" --seeds "$here/seeds" --keep "$kept"
done
one scarcity bash "$here/scarcity.sh" "$PWD/$bin/saccade" "$PWD/$bin/tests/cli/json_value" \
  "$PWD/$bin/tests/campaign/fail_nth.so" 1
one kills bash "$here/kills.sh" "$PWD/$bin/saccade" "$PWD/$bin/tests/cli/json_value" 200 "$seed"
exit $failed

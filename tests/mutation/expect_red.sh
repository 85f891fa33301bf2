#!/usr/bin/env bash
# expect_red.sh PROGRAM OP...: succeeds if the gradient checks in PROGRAM, a mutant, fail for each OP.
# every-op-but=A,B stands for all ops that have a gradient case, except A and B.
set -uo pipefail
program=$1
shift

report=$("$program" --reporter xml)
if [[ $report != *'</Catch>'* ]]; then
  echo "$program crashed; a mutant has to run to its end and fail its checks" >&2
  exit 1
fi
# One line "op red" or "op green" per case, read from <Section name="op: case"> and the result in it.
cases=$(awk -F'"' '
  /<Section name="/ { split($2, part, ":"); op = part[1] }
  /<OverallResults successes/ && op != "" { print op, ($4 > 0 ? "red" : "green"); op = "" }' <<<"$report")

wanted=("$@")
if [[ $1 == every-op-but=* ]]; then
  except=,${1#*=},
  wanted=()
  while read -r op; do
    [[ $except == *",$op,"* ]] || wanted+=("$op")
  done < <(cut -d' ' -f1 <<<"$cases" | sort -u)
fi
status=0
for op in "${wanted[@]}"; do
  if grep -qx "$op red" <<<"$cases"; then
    echo "noticed by $op: $(grep -cx "$op red" <<<"$cases") of $(grep -c "^$op " <<<"$cases") cases are red"
  else
    echo "NOT noticed: no gradient case of $op failed" >&2
    status=1
  fi
done
exit $status

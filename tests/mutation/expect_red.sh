#!/usr/bin/env bash
# expect_red.sh PROGRAM OP ...: passes if the gradient checks in PROGRAM, which was made wrong on
# purpose, fail for each OP. every-op-but=A,B stands for all ops that have a case, except A and B.
set -uo pipefail
program=$1
shift

report=$("$program" --reporter xml)
if [[ $report != *'</Catch>'* ]]; then
  echo "$program did not finish: a mutant has to fail its checks, not crash" >&2
  exit 1
fi
# "op verdict" of every case, from <Section name="op: case"> and the result inside it.
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
    echo "caught by $op: $(grep -cx "$op red" <<<"$cases") of $(grep -c "^$op " <<<"$cases") cases are red"
  else
    echo "NOT caught: no gradient case of $op failed" >&2
    status=1
  fi
done
exit $status

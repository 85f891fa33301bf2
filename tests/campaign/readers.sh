# readers.sh CAMPAIGN INPUTS [SEED]: gives every reader so many mutations of its seeds, but not for more
# than 0.5 s of a processor, and every input that once broke it (tests/campaign/cases/READER/*). Exits 1 where one fails; the input
# is kept in the folder that is printed.
set -u
campaign=$1 inputs=$2 seed=${3:-1}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
kept=$(mktemp -d)
failed=0
readers=$("$campaign" --list) && [ -n "$readers" ] || {
  echo "FAILED: $campaign names no readers" >&2
  exit 1
}
for reader in $readers; do
  if [ -d "$here/cases/$reader" ]; then
    "$campaign" "$reader" "$here/cases/$reader"/* 2>>"$kept/errors" || failed=1
  fi
  "$campaign" "$reader" --inputs "$inputs" --cpu 0.5 --seed "$seed" --seeds "$here/seeds" --keep "$kept" \
    2>"$kept/$reader.err"
  code=$?
  if [ $code -ne 0 ]; then
    failed=1
    echo "FAILED $reader (exit code $code): $(tail -n 1 "$kept/$reader.err"); its input: $kept/$reader.last" >&2
  fi
done
[ ! -s "$kept/errors" ] || cat "$kept/errors" >&2
[ $failed -ne 0 ] || rm -rf "$kept"
exit $failed

# run_check.sh: what run.sh makes of a reader that fails, one that dies, and a run that goes on; with a program that
# only pretends to read.
set -eu
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/tests/campaign" "$folder/build/release/tests/campaign"
cp "$here/run.sh" "$folder/tests/campaign"
cat >"$folder/build/release/tests/campaign/campaign" <<'PROGRAM'
#!/usr/bin/env bash
[ "$1" = --list ] && { printf '%s\n' good bad dead && exit; }
echo "$1" >>calls
printf 'broken %s' "$1" >"runs/campaign/$1.last"
case $1 in
  bad) echo "bad: input 7 of seed 1: too long" >&2 && exit 1 ;;
  dead) kill -SEGV $$ ;;
esac
rm "runs/campaign/$1.last"
echo "$1 5 inputs, 2 of them read"
PROGRAM
chmod +x "$folder/build/release/tests/campaign/campaign"
cd "$folder"
fail() { echo "FAILED: $1" >&2 && cat out >&2 && exit 1; }

for reader in good bad dead; do bash tests/campaign/run.sh --minutes 1 --only $reader >>out 2>&1 || true; done
grep -q '^good  *5  *0  2 of them read' out || fail "a reader that reads has another line"
grep -q '^bad  *0  *1  exit code 1: bad: input 7 of seed 1: too long' out || fail "a failure has another line"
grep -q '^dead  *0  *1  .*signal 11' out || fail "a death is not named"
[ "$(cat runs/campaign/failed/bad/*)" = "broken bad" ] || fail "the input that failed is not kept"

# What was finished before a run was stopped is not done again.
printf 'good                   5         0\n' \
  >"runs/campaign/finished-$(sha1sum <build/release/tests/campaign/campaign | cut -c1-8)-1-9"
rm calls
bash tests/campaign/run.sh --minutes 1 --seed 9 >out 2>&1 && fail "a failure has the exit code 0"
grep -q '^good' out && ! grep -q good calls || fail "what is finished is done again"
grep -q '^bad' calls || fail "a run that goes on does nothing"

for options in "--only f.ips" "--only" "--minutes 0.5" "--minutes -1" "--seed x" "--fuzz --only flips" "--what"; do
  code=0
  # shellcheck disable=SC2086
  bash tests/campaign/run.sh $options >out 2>&1 || code=$?
  [ $code -eq 2 ] && [ "$(wc -l <out)" -eq 1 ] || fail "$options gives the exit code $code"
done

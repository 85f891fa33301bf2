# The functions that the scripts of this folder share. A script sources this file with the program as $1
# and json_value as $2. The file changes into an empty folder, which is removed at the end, and writes
# tiny.yaml there, a config that trains in a second.
set -u
saccade=$1
json_value=$2
base=$(mktemp -d)
work=$base/work
# Ends what still runs in the background. The exit code is 1 where anything failed in a subshell.
end() {
  local code=$? job
  for job in $(jobs -p); do kill "$job"; done
  [ ! -e "$base/failed" ] || code=1
  rm -rf "$base"
  exit $code
}
trap end EXIT
mkdir "$work"
# METEOR is the same on every machine, whatever Python has, and no index goes to the user's cache.
export SACCADE_PARAPHRASES=none XDG_CACHE_HOME=$base/cache
unset SACCADE_MODELS NO_COLOR # of the user's shell
cd "$work" || exit 1
# copy_program FOLDER: copies the two files of the program.
copy_program() {
  mkdir -p "$1"
  cp "$saccade" "$1/" && cp -r "$(dirname "$saccade")/libexec" "$1/"
}
# A copy of the program does not find the models of the source tree, whose names runs may have here.
if [ "${models:-none}" = none ]; then
  copy_program "$base"
  saccade=$base/saccade
fi

# Ends the script. In a subshell, such as $(...), it ends that; the script then ends with the next `expect`,
# and fails in any case.
fail() {
  touch "$base/failed"
  echo "FAILED (line ${BASH_LINENO[1]}): $*" >&2
  [ -f out ] && sed 's/^/  stdout: /' out | head -n 40 >&2
  [ -f err ] && sed 's/^/  stderr: /' err | head -n 40 >&2
  exit 1
}

# expect CODE COMMAND...: runs the command with stdout in `out` and stderr in `err`. Fails unless the
# command ends with this exit code.
expect() {
  [ ! -e "$base/failed" ] || exit 1
  local wanted=$1
  shift
  "$@" >out 2>err </dev/null
  local got=$?
  [ $got -eq "$wanted" ] || fail "exit code $got instead of $wanted: $*"
}

# until_true COMMAND...: repeats the command until it succeeds, and fails after five minutes (sanitizers are slow).
until_true() {
  local end=$((SECONDS + 300))
  until "$@"; do
    [ $SECONDS -lt $end ] || fail "this did not succeed within five minutes: $*"
    sleep 0.05
  done
}

# has_more_lines FILE COUNT: whether the file has more lines than that.
has_more_lines() { [ -e "$1" ] && [ "$(wc -l <"$1")" -gt "$2" ]; }

# stop SIGNAL CODE: sends the signal to the program $pid, which runs in the background. Fails unless the
# program ends with this exit code.
stop() {
  kill "-$1" $pid
  wait $pid
  local code=$?
  pid=
  [ $code -eq "$2" ] || fail "exit code $code instead of $2 after SIG$1"
}

# wants TEXT FILE: fails unless the file contains the text.
wants() { grep -qF -- "$1" "$2" || fail "'$1' is not in $2"; }

# one_error TEXT...: fails unless stderr is one line, an error with all of these texts.
one_error() {
  [ "$(grep -c . err)" -eq 1 ] || fail "stderr is not one line"
  grep -q '^error: ' err || fail "the line on stderr does not begin with 'error: '"
  local text
  for text in "$@"; do wants "$text" err; done
}

# damaged_pictures: writes damaged.png, whose checksums are right and whose pixels cannot be unpacked, and
# damaged.jpg, which can be decoded in spite of bytes that belong to nothing.
damaged_pictures() {
  base64 -d >damaged.png <<<iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAAAAADhZOFXAAAAEUlEQVR4nGM4AQQaQMBAGQMAYIQeAMWEQgcAAAAASUVORK5CYII=
  tr -d '\n ' <<'JPEG' | base64 -d >damaged.jpg
    /9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAA0JCgsKCA0LCgsODg0PEyAVExISEyccHhcgLikxMC4pLSwzOko+MzZGNywtQFdBRkxOUlNSMj5aYV
    pQYEpRUk//wAALCAAQABABAREA/8QAFQABAQAAAAAAAAAAAAAAAAAABwb/xAAUEAEAAAAAAAAAAAAAAAAAAAAA/9oACAEBAAA/AKwOmIOvYWJj
    ZGVmZ2hpamtsbW5vcHFyc3R1dnd4/9k=
JPEG
}

# json FILE POINTER: prints a value of a JSON file. Fails if the file does not have it.
json() { "$json_value" "$1" "$2" || fail "$1 has no $2"; }

# digest RUN: prints the digests of weights and optimizer in the run's last checkpoint, and its update.
digest() {
  "$saccade" inspect "$1/checkpoints/last" --json >digest.json || fail "inspect $1"
  echo "$(json digest.json /parameters_digest) $(json digest.json /optimizer_digest)" \
    "$(json digest.json /state/update)"
}

# same_bits NAME OPTIONS...: trains tiny.yaml with these options on 1 thread, on 3 threads, and with two
# interruptions. Fails unless all of these runs end with the same bits.
same_bits() {
  local name=$1
  shift
  expect 0 "$saccade" train tiny.yaml --out "$name" "$@" --threads 1
  local wanted stop
  wanted=$(digest "$name")
  expect 0 "$saccade" train tiny.yaml --out "$name-threads" "$@" --threads 3
  [ "$(digest "$name-threads")" = "$wanted" ] || fail "$name: the result differs with 3 threads"
  for stop in 7u 13u 24u; do
    expect 0 "$saccade" train tiny.yaml --out "$name-parts" "$@" train.stop=$stop --resume
  done
  [ "$(digest "$name-parts")" = "$wanted" ] || fail "$name: the result of the resumed run differs"
}

cat >tiny.yaml <<'YAML'
name: tiny
data:
  type: scenes
  min_count: 1
  captions_per_image: 3
  scenes: {train: 48, val: 8, test: 8, size: 32}
encoder: {type: cnn, image_size: 32, channels: [8, 8, 8, 8], positions: coordinates}
attention: {score: additive, gate: scalar, hidden: 16}
decoder: {type: lstm, hidden: 24, embedding: 16, init_hidden: 16, dropout: 0.2}
objective: {doubly_stochastic: 0}
optimizer: {type: adam, lr: 5e-3, clip_norm: 5}
train: {batch: 8, shard: 4, stop: 24u, validate_every: 10u, checkpoint_every: 8u}
search: {mode: beam, beam: 2, max_length: 8}
YAML

# Writes a comparison of two arms with two seeds each to study.yaml.
write_study() {
  cat >study.yaml <<'YAML'
base: tiny.yaml
name: study
compare:
  arms:
    soft: {}
    hard: {attention.selection: hard}
  seeds: [1, 2]
YAML
}

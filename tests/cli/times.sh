# Frames in time: scenes that move train, caption, are drawn as films and as curves, and are judged by when
# something moves; what does not fit is named.
. "$(dirname "${BASH_SOURCE[0]}")/support.sh"

cat >moving.yaml <<END
name: moving
data: {type: scenes, min_count: 1, scenes: {train: 60, val: 12, test: 12, size: 32, frames: 6}}
encoder: {type: features, positions: sinusoidal, features: {path: moving.safetensors}}
attention: {hidden: 8}
decoder: {type: lstm, hidden: 8, embedding: 6, dropout: 0}
optimizer: {lr: 1e-2}
search: {max_length: 8}
train: {batch: 4, shard: 2, stop: 6u, validate_every: 6u}
END
expect 0 "$saccade" data moving.yaml --regions moving.safetensors
wants "frames of 84 scenes" err
monotonic=(attention.scope=monotonic attention.selection=hard)
for name in soft hard; do
  [ "$name" = soft ] && options=() || options=("${monotonic[@]}")
  expect 0 "$saccade" train moving.yaml --out "$name" "${options[@]}"
  expect 0 "$saccade" evaluate "$name" --split val --no-ablations
  wants "pointing" out
  expect 0 "$saccade" overlay "$name" --split val --count 2 --out "$name-films"
  expect 0 "$saccade" overlay "$name" --split val --count 1 --out "$name-films" --format pdf
done
for threads in 2 4; do
  expect 0 "$saccade" train moving.yaml --out "again$threads" --threads "$threads" "${monotonic[@]}"
  [ "$(digest hard)" = "$(digest "again$threads")" ] || fail "another number of threads trains another model"
done

# The same captions whether there is a film, or features alone; the JSON has the seconds of the frames.
expect 0 "$saccade" caption soft --features moving.safetensors --json
wants '"times":[0.0,0.25,0.5,0.75,1.0,1.25],"boxes":[]' out
expect 0 "$saccade" overlay soft --features moving.safetensors --out curves --format svg
ls curves/*.sheet.svg >/dev/null || fail "no curve was drawn"
expect 0 "$saccade" caption soft --features moving.safetensors --page page.html
wants '"times":[0.0,0.25' page.html
mkdir scene-val-0
for frame in 1 2 3 4 5 6; do cp soft-films/scene-val-0/01-*.png "scene-val-0/$frame.png"; done
expect 0 "$saccade" caption soft scene-val-0 --features moving.safetensors --json
wants '"times":[0.0,0.25' out
wants '"boxes":[[0.0,0.0,' out

# One of which nothing is known is left out, and the others have the captions that they have without it.
expect 0 "$saccade" caption soft scene-val-0 --features moving.safetensors
cp out alone
cp -r scene-val-0 unknown
expect 3 "$saccade" caption soft unknown scene-val-0 --features moving.safetensors
wants "there are no features of unknown" err
cmp -s alone out || fail "a film without features changes the captions of the others"

# A server takes the features alone, and so does its page.
"$saccade" serve soft --port 0 >address 2>messages </dev/null &
server=$!
until_true [ -s address ]
port=$(grep -o '127\.0\.0\.1:[0-9]*' address | head -n 1 | grep -o '[0-9]*$')
# post NAME FILE PHOTO: sends a form with one file, and writes the body of the answer to `out`.
post() {
  { printf -- '--x\r\nContent-Disposition: form-data; name="%s"; filename="f"\r\n\r\n' "$1"
    cat "$2"
    printf '\r\n--x--\r\n'; } >form
  exec 3<>"/dev/tcp/127.0.0.1/$port"
  printf 'POST /caption?photo=%s HTTP/1.1\r\nHost: localhost\r\nContent-Type: %s\r\nContent-Length: %s\r\n\r\n' \
    "$3" "multipart/form-data; boundary=x" "$(stat -c %s form)" >&3
  cat form >&3
  sed '1,/^\r$/d' <&3 >out
  exec 3>&-
}
post features moving.safetensors scene-val-0
cp out answer
expect 0 "$saccade" caption soft --features moving.safetensors --json
position=$("$saccade" caption soft --features moving.safetensors | grep -n '^scene-val-0:' | cut -d : -f 1)
[ "$(json answer /captions/soft)" = "$(json out "/$((position - 1))/caption")" ] ||
  fail "the server has another caption of features alone"
wants '"times":[0.0,0.25' answer
[ "$(json answer /width)" -eq 480 ] || fail "the answer has no picture of the time axis"
post features moving.safetensors missing
wants 'the features: there are no features of missing' out
kill -TERM "$server" && wait "$server"

expect 2 "$saccade" data moving.yaml --regions moving.tsv
one_error "are written as .safetensors"
expect 2 "$saccade" data moving.yaml --regions moving.safetensors data.scenes.frames=2
one_error "frames must be 1, or 3 to 64"
expect 2 "$saccade" train moving.yaml --out none encoder.positions=coordinates
one_error "encoder.positions coordinates is of places in a picture"
expect 2 "$saccade" train moving.yaml --out none encoder.refine.type=geometry encoder.refine.layers=1 encoder.project=8
wants "geometry goes by the boxes of regions, and the frames of encoder.features lie in time" err
expect 2 "$saccade" train moving.yaml --out none attention.mechanism=linformer
wants "error: attention.mechanism linformer: the frames of encoder.features differ in number" err
expect 2 "$saccade" caption soft
one_error "no picture is named"

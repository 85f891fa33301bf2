# What other programs rely on in `serve`: it prints its address, gives the captions of `caption`, obeys
# signals and leaves no files behind.
. "$(dirname "${BASH_SOURCE[0]}")/support.sh"

expect 0 "$saccade" train tiny.yaml --out run train.stop=2u train.validate_every=2u
expect 0 "$saccade" train tiny.yaml --out other train.stop=2u train.validate_every=2u seed=2 \
  attention.selection=hard search.min_length=2
expect 0 "$saccade" overlay run --count 1 --out pictures
picture=$(ls pictures/*.sheet.png)
mkdir tmp
pid=

# start OPTION...: starts a server of both runs; sets pid and port.
start() {
  rm -f address
  TMPDIR=$work/tmp "$saccade" serve run other --port 0 "$@" >address 2>messages </dev/null &
  pid=$!
  until_true [ -s address ]
  port=$(grep -o '127\.0\.0\.1:[0-9]*\|"port":[0-9]*' address | head -n 1 | grep -o '[0-9]*$')
  [ -n "$port" ] || fail "the server printed no address"
}
# post FILE [QUERY]: sends the file and writes the body of the answer to `out`.
post() {
  exec 3<>"/dev/tcp/127.0.0.1/$port"
  printf 'POST /caption%s HTTP/1.1\r\nHost: localhost\r\nContent-Length: %s\r\n\r\n' \
    "${2-}" "$(stat -c %s "$1")" >&3
  cat "$1" >&3
  sed '1,/^\r$/d' <&3 >out
  exec 3>&-
}

# Scenes themselves need no remark, other pictures do; each model is remarked on once.
expect 0 "$saccade" data tiny.yaml --out sheets
expect 0 "$saccade" overlay run --count 2 --out pictures
! grep -q "drawn scenes" err || fail "scenes count as other pictures"
expect 0 "$saccade" caption run "$picture" sheets/test.png sheets/val.png
[ "$(grep -c 'run was trained on drawn scenes alone' err)" -eq 1 ] ||
  fail "a model of scenes is not remarked on once"

start
wants "run was trained on drawn scenes alone" messages
grep -qx 'http://127.0.0.1:[0-9]*/' address || fail "stdout is not one line with the address"
post "$picture"
cp out answer
expect 0 "$saccade" caption run "$picture"
[ "$picture: $(json answer /captions/run)" = "$(cat out)" ] ||
  fail "serve and caption give different captions"
expect 0 "$saccade" caption other "$picture" --json
[ "$(json answer /captions/other)" = "$(json out /0/caption)" ] ||
  fail "serve and caption give different captions with a hard model"
[ "$(json answer '/models/1/regimes#')" -eq 4 ] || fail "the hard model does not have four regimes"
post "$picture" "?beam=5"
json out /captions/run >beam.txt
[ "$(json out /models/0/search/beam)" -eq 5 ] || fail "the answer does not name its search"
expect 0 "$saccade" caption run "$picture" --beam 5
[ "$picture: $(cat beam.txt)" = "$(cat out)" ] || fail "serve and caption differ with a beam of 5"
post "$picture" "?beam=21"
json out /error | grep -q "takes a whole number from 1 to 20" || fail "a beam of 21 gave no error"
# What regions do for words: for the captions of each model's own regime, where it is asked for.
[ "$(grep -c occlusion answer)" -eq 0 ] || fail "an answer has effects of regions without being asked"
post "$picture" "?occlusion=true"
[ "$(json out '/models/0/regimes/expectation/words/0/occlusion#')" -gt 1 ] ||
  fail "the words have no effects of regions"
[ "$(json out '/models/1/regimes/argmax/words/0/occlusion#')" -gt 1 ] ||
  fail "the words of the hard model have no effects of regions"
head -c 300 "$picture" >cut.png
post cut.png
json out /error | grep -q "cut short" || fail "a picture that was cut short gave no error"
[ -z "$(find "$work" -newer answer -type f ! -name out ! -name err ! -name messages ! -name cut.png ! -name beam.txt)" ] ||
  fail "serve wrote a file"
[ -z "$(ls -A tmp)" ] || fail "serve left a temporary file behind"
expect 5 "$saccade" serve run --port "$port"
one_error "127.0.0.1:$port: cannot listen there" "--port"
# The server is stopped in the middle of requests.
for _ in 1 2 3; do post "$picture" & done
sleep 0.05
stop INT 130
wants "stopping: the picture that is being captioned is finished first" messages
wait

start --json --threads 1 --beam 1 --occlusion-steps 0
post "$picture" "?occlusion=true"
json out /error | grep -q "started without occlusion" || fail "--occlusion-steps 0 has no effect"
[ "$(json address /models/1)" = other ] || fail "the address does not name the models"
stop TERM 143

expect 2 "$saccade" serve
one_error "checkpoints is required"
expect 2 "$saccade" serve run,other
one_error "needs a single model"
expect 2 "$saccade" serve run other run
one_error "run and run are the same checkpoint" "name each model once"
expect 2 "$saccade" serve run --port 65536
one_error "the largest port is 65535"
expect 2 "$saccade" serve run --max-upload 1000
one_error "must be at most 256 MiB"
expect 4 "$saccade" serve nowhere
one_error "nowhere"
exit 0

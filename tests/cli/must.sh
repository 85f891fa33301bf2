# What captions have to say (--must): words, phrases, alternatives, words that the model does not know, in
# captions, sheets and scores; what is refused.
. "$(dirname "${BASH_SOURCE[0]}")/support.sh"

expect 0 "$saccade" train tiny.yaml --out soft train.stop=40u
expect 0 "$saccade" train tiny.yaml --out bpe train.stop=40u data.vocabulary=bpe data.bpe_size=60 search.max_length=20
expect 0 "$saccade" data tiny.yaml --out sheets
photo=sheets/test.png

# says MODEL WORDS: the caption of the photo that has to say the words, on stdout.
says() {
  expect 0 "$saccade" caption "$1" $photo --json --must "$2"
  ! grep -q '"unmet"' out || fail "$1 has no '$2'"
  json out /0/caption
}
for model in soft bpe soft,soft; do
  caption=$(says $model "ring, blue")
  [[ " $caption " = *" ring "* && " $caption " = *" blue "* ]] || fail "$model lacks a word: $caption"
  caption=$(says $model "Green  Square")
  [[ " $caption " = *" green square "* ]] || fail "$model lacks the phrase: $caption"
  caption=$(says $model "red ring|blue ring")
  [[ " $caption " = *" red ring "* || " $caption " = *" blue ring "* ]] || fail "$model: no alternative: $caption"
done

# The words that a caption has anyway leave it as it is.
expect 0 "$saccade" caption soft $photo --json --set search.min_length=3
cp out free.json
free=$(json free.json /0/caption)
[ "$(says soft "${free%% *}")" != "" ] || fail "there is no caption"
expect 0 "$saccade" caption soft $photo --json --set search.min_length=3 --must "$free"
[ "$(json out /0/caption)" = "$free" ] || fail "a caption that says all of it became another one"

# A word that the model does not know: refused without word vectors; with them, it stands in the caption and has
# a map.
expect 2 "$saccade" caption soft $photo --must zebra
one_error "the model does not know 'zebra'" "--word-vectors"
printf 'zebra 1 0.1\nring 1 0\nblue 0 1\nsquare -1 0\nred 0 -1\n' >vectors.txt
expect 0 "$saccade" caption soft $photo --json --must "zebra, blue" --word-vectors vectors.txt
[[ " $(json out /0/caption) " = *" zebra "* ]] || fail "the new word is not in the caption"
json out /0/words/0/attention/0/0 >/dev/null
expect 2 "$saccade" caption soft $photo --must giraffe --word-vectors vectors.txt
one_error "vectors.txt knows 'giraffe'"
expect 3 "$saccade" caption soft $photo --must zebra --word-vectors missing.txt
one_error "missing.txt"
expect 2 "$saccade" caption soft $photo --word-vectors vectors.txt
one_error "--word-vectors is for words of --must"

# Sheets and scores.
expect 0 "$saccade" overlay soft $photo --must "blue ring" --out drawn --panels 0
[[ " $(json drawn/test.json /caption) " = *" blue ring "* ]] || fail "the sheet has another caption"
expect 0 "$saccade" evaluate soft --split test --must ring --out captions.json
[ "$(grep -o '"caption":' captions.json | wc -l)" -gt 0 ] || fail "there are no captions"
[ "$(grep -oE '"caption": ?"[^"]*"' captions.json | grep -cvw ring)" -eq 0 ] || fail "a caption has no ring"

# Of single images alone.
echo '{"scene-test-0": ["ring"]}' >of_one.json
expect 0 "$saccade" evaluate soft --split test --out others.json
expect 0 "$saccade" evaluate soft --split test --must-from of_one.json --out one.json
[ "$(diff <(grep -oE '"caption": ?"[^"]*"' others.json) <(grep -oE '"caption": ?"[^"]*"' one.json) | grep -c '^>')" -le 1 ] ||
  fail "more than one caption was changed"
grep -oE '"caption": ?"[^"]*"' one.json | grep -qw ring || fail "the caption of the image has no ring"
echo '{"nowhere.jpg": ["ring"]}' >wrong.json
expect 2 "$saccade" evaluate soft --split test --must-from wrong.json
one_error "wrong.json" "no image 'nowhere.jpg'"

# What cannot be.
refused() {
  local text=$1
  shift
  expect 2 "$saccade" caption soft $photo "$@"
  one_error "$text"
}
refused "a part between the commas is empty" --must "red,,ring"
refused "there is no word in it" --must "!"
refused "search.must needs search.mode beam" --must red --mode greedy
refused "search.must needs search.groups 1" --must red --set search.groups=2 --set search.diversity=0.5
refused "search.max_length is" --must "red, ring, blue" --set search.max_length=2
refused "is forbidden by search.forbidden" --must red --set "search.forbidden=[red]"
refused "search.name_objects needs a frozen network" --name-objects
refused "search.name_objects needs" --name-objects --mode greedy

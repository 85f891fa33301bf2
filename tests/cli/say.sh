# A caption of one's own (--say): what a model gives to words that it did not choose, in text, JSON, sheets
# and pages; what overlay leaves of earlier drawings.
. "$(dirname "${BASH_SOURCE[0]}")/support.sh"

expect 0 "$saccade" train tiny.yaml --out soft train.stop=40u
expect 0 "$saccade" train tiny.yaml --out hard train.stop=40u attention.selection=hard
expect 0 "$saccade" train tiny.yaml --out bpe data.vocabulary=bpe data.bpe_size=60 search.max_length=20
expect 0 "$saccade" train tiny.yaml --out transformer decoder.type=transformer decoder.hidden=16 \
  decoder.embedding=16 decoder.heads=2 attention.gate=none
expect 0 "$saccade" train tiny.yaml --out plain attention.score=none
expect 0 "$saccade" data tiny.yaml --out sheets
photo=sheets/test.png

# What a model has written by itself has the same words, maps and probabilities when it is given, however it
# is typed.
for model in soft hard bpe transformer plain soft,soft; do
  expect 0 "$saccade" caption $model $photo --json --set search.min_length=3
  cp out own.json
  caption=$(json own.json /0/caption)
  [ -n "$caption" ] || fail "$model wrote nothing; this test needs a caption"
  expect 0 "$saccade" caption $model $photo --json --say "${caption^^}!"
  cp out said.json
  [ "$(json said.json /0/given)" = true ] || fail "the JSON does not say that the caption was given"
  [ "$(json said.json /0/caption)" = "$caption" ] || fail "$model did not say what was given"
  for i in $(seq 0 $(($(json own.json '/0/words#') - 1))); do
    [ "$(json own.json "/0/words/$i/text")" = "$(json said.json "/0/words/$i/text")" ] || fail "word $i"
    for value in logprob attention/0/0 attention/1/1; do
      awk -v a="$(json own.json "/0/words/$i/$value")" -v b="$(json said.json "/0/words/$i/$value")" \
        'BEGIN { d = a - b; exit d < 1e-4 && d > -1e-4 ? 0 : 1 }' || fail "$model: $value of word $i differs"
    done
  done
done
! grep -q '"given"' own.json || fail "a caption that was searched is called given"

# A line gives the words with their probabilities, of which the last is that of the end.
expect 0 "$saccade" caption soft $photo $photo --say "a red circle"
[ "$(grep -c 'test.png: a red circle$' out)" -eq 2 ] || fail "not every picture has the caption"
[ "$(grep -cE '^  log p -[0-9.]+: a [0-9.e-]+, red [0-9.e-]+, circle [0-9.e-]+, end [0-9.e-]+$' out)" -eq 2 ] ||
  fail "the words do not stand with their probabilities"
! grep -q "does not know" err || fail "a message about words that are known"
# It is read as captions of training are: entities, characters that nobody sees.
expect 0 "$saccade" caption soft $photo --say $'a &quot;r\u00aded&quot; circle'
wants "test.png: a red circle" out
! grep -q "does not know" err || fail "an entity or a soft hyphen is taken for a word"

# Words that the model does not know are named, each once.
expect 0 "$saccade" caption soft $photo --say "a mauve zebra and a zebra"
wants "soft does not know mauve, zebra; it reads <unk> there" err
wants "a <unk> <unk> and a <unk>" out
for unknown in "zebra" "quick brown foxes" "Zèbre!"; do
  expect 2 "$saccade" caption soft $photo --say "$unknown"
  one_error "soft knows none of its words"
done
for empty in "" "  " "!?"; do
  expect 2 "$saccade" caption soft $photo --say "$empty"
  one_error "there is no word in it"
done

# What only a search reads has no effect then.
refused() {
  expect 2 "$saccade" "$@" --say "a red circle"
  one_error "--say: the caption is given" "leave"
}
refused caption soft $photo --beam 2
refused caption soft $photo --mode greedy
refused caption soft $photo --must circle
refused caption soft $photo --set search.max_length=3
refused caption soft $photo --alternatives 2
refused overlay soft $photo --out none --beam 2
[ ! -e none ] || fail "a refused option left a folder behind"

# Every regime takes its regions for these words; maps of layers and heads, what words lose
# without a region, and a page have these words, too.
for regime in expectation argmax sample marginal; do
  expect 0 "$saccade" caption hard $photo --say "a red circle" --regime $regime --json
  [ "$(json out /0/words/1/text)" = red ] || fail "$regime: other words"
done
expect 0 "$saccade" caption transformer $photo --say "a red circle" --all-maps --occlusion --json
for value in maps/0/attention/2/0/0 words/2/occlusion/0/0; do json out "/0/$value" >/dev/null; done
expect 0 "$saccade" caption soft $photo --say "a red circle" --page page.html
wants '"caption":"a red circle"' page.html

# Sheets of one model and of several.
expect 0 "$saccade" overlay soft $photo --say "a red circle" --out drawn --format svg
for i in 01-a 02-red 03-circle; do [ -s drawn/test/$i.svg ] || fail "there is no panel $i"; done
wants "a caption that was given" drawn/test.sheet.svg
[ "$(json drawn/test.json /given)" = true ] || fail "the numbers beside the sheet lack it"
expect 0 "$saccade" overlay soft $photo --say "a red circle" --with hard --with bpe --out both --format svg
[ "$(grep -oE '>(soft|hard|bpe) \([^<]*, a caption that was given' both/test.sheet.svg | sort -u | wc -l)" -eq 3 ] ||
  fail "not one strip for each model"
expect 0 "$saccade" overlay soft --split test --count 2 --say "a red circle" --out split
[ "$(ls split/*.sheet.png | wc -l)" -eq 2 ] || fail "not two sheets of the data"

# Drawings of one format leave those of the others and other files alone, and replace those of an earlier
# caption in their own format.
mkdir -p kept/test
touch kept/test/2019-holiday.svg kept/test/notes.svg kept/test/1-a.svg
for format in pdf png svg; do
  expect 0 "$saccade" overlay soft $photo --say "a red circle" --out kept --format $format
done
for format in pdf png svg; do
  expect 0 "$saccade" overlay soft $photo --say "a blue ring" --out kept --format $format
  [ -s kept/test/02-blue.$format ] || fail "there is no new panel"
  [ ! -e kept/test/02-red.$format ] || fail "an old panel of this format is left"
  for other in pdf png svg; do
    [ -s kept/test.sheet.$other ] || fail "$format: the sheet as $other is gone"
    [ -s kept/test/01-a.$other ] || fail "$format: the panels as $other are gone"
  done
done
expect 0 "$saccade" overlay soft $photo --say "a red circle" --out kept --format pdf --panels 0
[ ! -e kept/test/02-blue.pdf ] && [ -s kept/test/02-blue.svg ] || fail "--panels 0 has to remove those of its format"
for file in 2019-holiday.svg notes.svg 1-a.svg; do [ -e kept/test/$file ] || fail "$file was removed"; done

# Figures for papers: the width of the page, the words that are drawn, and no title.
paper() { expect 0 "$saccade" overlay soft $photo --say "a red circle and a red cross" --out paper "$@"; }
paper --format svg --width 8.4cm --columns 2 --words "red, cross" --no-title
sheet=$(echo paper/*.sheet.svg)
grep -q '<svg [^>]*width="8\.[34][0-9]*cm"' $sheet || fail "the sheet is not 8.4 cm wide"
grep -q '>a red circle and a red cross</text>' $sheet || fail "the caption is not whole"
[ "$(grep -c '>red</text>' $sheet)" -eq 2 ] || fail "the word is not drawn each time"
! grep -q '>circle</text>' $sheet || fail "a word that was not named is drawn"
! grep -q '<text[^>]*>[^<]*(soft, ' $sheet || fail "there is a title"
[ "$(ls paper/test | tr '\n' ' ')" = "02-red.svg 06-red.svg 07-cross.svg " ] || fail "the panels are not those of the words"
[ "$(json paper/test.json '/words#')" -eq 7 ] || fail "the JSON is not whole"
# Full heat is that of the whole caption, whichever words are drawn.
last_number() { grep -o '>0\.[0-9]*</text>' $1 | tail -n 1; }
cp $sheet some.svg
paper --format svg --width 8.4cm
[ "$(last_number some.svg)" = "$(last_number $sheet)" ] || fail "the scale depends on the words that are drawn"
paper --format svg --words "Cross"
[ "$(ls paper/test)" = 07-cross.svg ] || fail "a word in capitals is not found"
paper --format svg --words zebra
wants "no caption that was drawn has zebra" err
! grep -q '>attention weight' $sheet || fail "a sheet without maps has a colour bar"
paper --with hard --words circle,zebra
wants "warning: --words: no caption that was drawn has zebra" err
for width in 84mm 3.3in 240pt; do paper --width $width; done
refused() { expect 2 "$saccade" overlay soft $photo --out refused "$@"; }
for width in 8.4 8.4m cm -3cm 1cm 1e9cm nancm "8.4 cm x"; do refused --width "$width"; wants "--width" err; done
refused --words " , "
for option in --words --width --font; do
  refused $option ""
  wants "$option: needs a value, and got an empty text" err
done
refused --columns 0
refused --width 4cm --columns 9
wants "choose fewer columns or a wider page" err
[ ! -e refused ] || fail "a refused drawing left something"

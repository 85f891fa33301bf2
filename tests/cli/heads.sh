# What inspect shows of a model's attention, and models that do without heads: the files and lines that a
# user gets, and one line for what is not there.
. "$(dirname "${BASH_SOURCE[0]}")/support.sh"

expect 0 "$saccade" train tiny.yaml --out run train.stop=4u decoder.type=transformer decoder.layers=2 \
  decoder.heads=2 attention.heads=2 attention.gate=none search.min_length=2 data.scenes.val=50

# Heads by name, as a table and as pictures.
expect 0 "$saccade" inspect run --heads --images 3 --out pictures
for name in words.0.0 words.1.1 decoder.0.0 decoder.1.1 "wrote pictures/heads.profiles.png"; do
  wants "$name" out
done
for picture in heads.profiles heads.words.correlation heads.decoder.correlation; do
  [ -s pictures/$picture.png ] && [ -s pictures/$picture.svg ] || fail "$picture was not drawn"
done
expect 0 "$saccade" inspect run --heads --gradients --images 2 --json
[ "$(json out '/heads#')" = 8 ] || fail "there are not 8 heads in the JSON"
[ "$(json out '/gradients/heads#')" = 6 ] || fail "not every layer and head has a gradient"
expect 0 "$saccade" inspect run --gradients --images 2 --out pictures
[ -s pictures/gradients.score.words.svg ] || fail "the gradients were not drawn"

# Words near a word.
# Maps against what words lose without regions: of the grid, and of the picture.
expect 0 "$saccade" inspect run --occlusion regions --images 2 --json
[ "$(json out /occlusion/maps/0/map)" = "last layer" ] || fail "the maps have no name"
[ "$(json out /occlusion/words)" -gt 0 ] || fail "no word is compared"
expect 0 "$saccade" inspect run --occlusion picture --images 2
wants "without each cell of the picture" out
expect 2 "$saccade" inspect run --occlusion pictures
one_error "did you mean 'picture'"
expect 0 "$saccade" inspect run --word a --images 3
wants "layer 1 after" out
expect 2 "$saccade" inspect run --word aardvark
one_error "'aardvark' is not in the vocabulary"
expect 2 "$saccade" inspect run --caption "a cross"
one_error "only together with --word"
expect 2 "$saccade" inspect run --patches --out pictures
one_error "only together with --heads or --gradients"

# The same on a page.
expect 0 "$saccade" report run --images 3 --heads --gradients --words a --out measured.html
for key in '"heads":{"left_out"' '"correlations":\[' '"stages":\['; do
  grep -q -- "$key" measured.html || fail "the page has no $key"
done
expect 2 "$saccade" report run --images 3 --words aardvark --out none.html
one_error "--words" "'aardvark' is not in the vocabulary"
expect 0 "$saccade" train tiny.yaml --out blind train.stop=2u attention.score=none attention.gate=none
for option in --heads --gradients; do
  expect 2 "$saccade" report blind --images 1 $option --out none.html
  one_error "$option has no effect"
done
[ ! -e none.html ] || fail "a page was written in spite of a refused option"

# Without heads: scores and captions beside those of the whole model.
expect 0 "$saccade" evaluate run --split val --no-ablations --without words.0,decoder.1.1 --plots plots
wants "without the heads words.0.0, words.0.1, decoder.1.1" out
wants "all heads" out
[ -s plots/groups.length.svg ] || fail "the scores of groups were not drawn"
expect 0 "$saccade" evaluate run --split val --no-ablations --without decoder.0 --json
[ "$(json out /without/heads/1)" = decoder.0.1 ] || fail "the JSON does not name the heads"
json out /without/whole/CIDEr >/dev/null
json out /without/whole/perplexity >/dev/null
json out /without/whole/attention_entropy >/dev/null
expect 0 "$saccade" overlay run --count 1 --out drawn
picture=$(ls drawn/*.sheet.png)
expect 0 "$saccade" caption run "$picture" --without decoder.0.0
wants "with all heads: " out
for wrong in decoder.2.0 decoder.0.9 encoder.0.0 decoder 0.0; do
  expect 2 "$saccade" caption run "$picture" --without "$wrong"
  one_error "has no head '$wrong'; choose from words.0.0 to words.1.1, decoder.0.0 to decoder.1.1"
done
expect 0 "$saccade" train tiny.yaml --out lstm train.stop=4u
expect 2 "$saccade" evaluate lstm --without decoder.0.0
one_error "head decoder.0.0 cannot be removed"
expect 2 "$saccade" evaluate run,run --without decoder.0.0
one_error "single model"
exit 0

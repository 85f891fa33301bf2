# The JSON of evaluate, caption, overlay and data, which other programs read.
. "$(dirname "${BASH_SOURCE[0]}")/support.sh"

expect 0 "$saccade" train tiny.yaml --out soft train.stop=60u train.validate_every=60u
expect 0 "$saccade" train tiny.yaml --out hard train.stop=60u train.validate_every=60u \
  attention.selection=hard

expect 0 "$saccade" evaluate soft --json
cp out report.json
[ "$(json report.json /schema_version)" -eq 1 ] || fail "schema_version"
[ "$(json report.json /split)" = test ] || fail "scenes are evaluated on their test split"
[ "$(json report.json /n_images)" -eq 8 ] || fail "n_images"
[ "$(json report.json /search/beam)" -eq 2 ] || fail "search"
[ "$(json report.json '/regimes#')" -eq 1 ] || fail "a soft model has one regime"
[ "$(json report.json /regimes/0/name)" = expectation ] || fail "regime"
for metric in Bleu_1 Bleu_2 Bleu_3 Bleu_4 Bleu_4_no_bp true_caption_rate; do
  json report.json /regimes/0/corpus/$metric >/dev/null
done
expect 0 "$saccade" evaluate soft --json --threads 1
cmp out report.json || fail "threads change the scores"
expect 0 "$saccade" evaluate soft
wants "Bleu_4" out
wants "perplexity" out
sed -n '2,/^details/p' out >headlines
for metric in Bleu_4 METEOR CIDEr true_caption_rate perplexity attention_entropy; do
  wants "$metric" headlines
done
! grep -q Bleu_1 headlines || fail "Bleu_1 is no headline"
[ "$(grep -o METEOR out | wc -l)" -eq 2 ] || fail "METEOR is a row and one name of its tables"

# The content of every full report, and what is measured on demand.
json report.json /perplexity >/dev/null
json report.json /unknown_share >/dev/null
json report.json /regimes/0/corpus/novel_captions >/dev/null
for key in entropy static_share ablations/uniform/CIDEr ablations/shuffled/true_caption_rate; do
  json report.json /attention_health/$key >/dev/null
done
for key in boxes images rules/loc_iou generated_words/0/nouns ground_truth_words/captions \
  ground_truth_words/model/attention_correctness_normalized \
  ground_truth_words/centre_bias/pointing_accuracy; do
  json report.json /grounding/$key >/dev/null
done
expect 2 "$saccade" evaluate soft --boxes boxes.json
one_error "scenes have boxes of their own"
grep -q '"samples"\|"baselines"' report.json && fail "nobody asked for samples or baselines"
expect 0 "$saccade" evaluate soft --samples 3 --baselines --json
cp out more.json
[ "$(json more.json /samples/per_image)" -eq 3 ] || fail "samples"
[ "$(json more.json /samples/regime)" = expectation ] || fail "regime of the samples"
for metric in Div_1 Div_2 mBLEU_4 self_CIDEr best_CIDEr mean_CIDEr; do
  json more.json /samples/corpus/$metric >/dev/null
done
for name in nearest consensus human; do
  for metric in Bleu_1 Bleu_4 METEOR ROUGE_L CIDEr; do
    json more.json /baselines/$name/$metric >/dev/null
  done
done
[ "$(json more.json /perplexity)" = "$(json report.json /perplexity)" ] || fail "perplexity"
expect 0 "$saccade" evaluate soft --samples 3 --baselines --json --threads 1
cmp out more.json || fail "threads change samples or baselines"
expect 0 "$saccade" evaluate soft --samples 2 --baselines
for text in self_CIDEr consensus human; do wants $text out; done
expect 0 "$saccade" evaluate soft --no-ablations --json
json out /attention_health/entropy >/dev/null
grep -q '"ablations"' out && fail "nobody wanted ablations"
expect 2 "$saccade" evaluate soft --samples 1
one_error "--samples" "at least 2"

expect 0 "$saccade" evaluate hard --json
[ "$(json out '/regimes#')" -eq 4 ] || fail "a hard model has four regimes"
names=$(for i in 0 1 2; do json out /regimes/$i/name; done | sort | tr '\n' ' ')
[ "$names" = "argmax expectation sample " ] || fail "regimes: $names"
expect 0 "$saccade" evaluate hard --samples 2 --json
[ "$(json out /samples/regime)" = sample ] || fail "a hard model draws regions too"

expect 0 "$saccade" data tiny.yaml --out sheets
[ -s sheets/test.png ] || fail "no contact sheet"
expect 0 "$saccade" data tiny.yaml --json
[ "$(json out /splits/0/images)" -eq 48 ] || fail "data: images"
for key in /vocabulary_size /cut_captions /lengths /splits/2/unknown_share; do
  json out $key >/dev/null
done

# A photo: here any picture of another size and shape.
photo=sheets/test.png
expect 0 "$saccade" caption hard $photo --json
cp out captions.json
[ "$(json captions.json '#')" -eq 1 ] || fail "one image, one entry"
[ "$(json captions.json /0/image)" = $photo ] || fail "image"
for key in /0/caption /0/words /0/grid/rows /0/grid/cols /0/geometry /0/finished; do
  json captions.json $key >/dev/null
done
if [ "$(json captions.json '/0/words#')" -gt 0 ]; then
  for key in text logprob gate sampled; do json captions.json /0/words/0/$key >/dev/null; done
  rows=$(json captions.json /0/grid/rows)
  [ "$(json captions.json '/0/words/0/attention#')" -eq "$rows" ] || fail "attention is not rows"
fi
expect 0 "$saccade" caption soft $photo
[ "$(wc -l <out)" -eq 1 ] || fail "one line a caption"

expect 0 "$saccade" overlay hard $photo --out pictures
[ -s pictures/test.sheet.png ] || fail "no sheet"
json pictures/test.json /caption >/dev/null
wants pictures/test.sheet.png out

# Maps of later steps are shown: the words stay the same, and every output names the step.
expect 0 "$saccade" caption soft $photo --json
cp out own.json
expect 0 "$saccade" caption soft $photo --json --map-step 2
[ "$(json out /0/caption)" = "$(json own.json /0/caption)" ] || fail "other words"
[ "$(json own.json /0/map_step)$(json out /0/map_step)" = 02 ] || fail "map_step of a caption"
expect 0 "$saccade" evaluate soft --map-step 1 --json
[ "$(json out /grounding/map_step)$(json out /attention_health/map_step)" = 11 ] ||
  fail "map_step of a report"
[ "$(json out /regimes/0/corpus/CIDEr)" = "$(json report.json /regimes/0/corpus/CIDEr)" ] ||
  fail "the maps that are shown change the score"
expect 0 "$saccade" evaluate soft --map-step 1
wants "for each word, the map one step after the word's own" out
expect 0 "$saccade" overlay soft $photo --out later --set maps.step=2 --format svg
grep -q "map 2\| 2 steps" later/test.sheet.svg || fail "the sheet does not say so"
expect 2 "$saccade" evaluate soft --map-step 99
expect 0 "$saccade" train tiny.yaml --out blind train.stop=2u train.validate_every=2u \
  attention.score=none attention.gate=none
expect 2 "$saccade" caption blind $photo --map-step 1
one_error "--map-step" "no attention"

# Measures that are drawn of a map besides its weights.
expect 0 "$saccade" overlay soft $photo --out measured --measure relative --format svg
wants "over equal weights (line: 1)" measured/test.sheet.svg
expect 0 "$saccade" overlay soft $photo --out measured --measure gated --format svg --with hard
wants "times the gate" measured/test.sheet.svg
expect 2 "$saccade" overlay soft $photo --out none --measure relative --style contour
one_error "--measure has no effect"
expect 2 "$saccade" overlay soft $photo --out none --measure relativ
one_error "relative"

# Options that choose among maps need a model that has several.
expect 2 "$saccade" overlay soft $photo --out none --layer 0
one_error "--layer" "decoder.type lstm looks once per word"
expect 2 "$saccade" overlay soft $photo --out none --rollout
one_error "--rollout" "encoder.refine.layers is 0"
expect 2 "$saccade" overlay soft $photo --out none --format apng --seconds-per-word nan
expect 3 "$saccade" overlay soft missing.jpg --out none
[ ! -e none ] || fail "what is refused left a folder behind"
# An option that is set for a checkpoint has to be read by its model.
expect 2 "$saccade" caption soft $photo --set decoder.layers=6
one_error "--set decoder.layers has no effect"

# Other formats and styles, and several models on one sheet.
for format in svg pdf apng; do
  expect 0 "$saccade" overlay hard $photo --out drawn --format $format --style contour --receptive-field
done
for file in test.sheet.svg test.sheet.pdf test.apng test.json; do
  [ -s drawn/$file ] || fail "no $file"
done
grep -q "see</text>" drawn/test.sheet.svg || fail "no receptive field"
mkdir copies
cp -r soft copies
expect 0 "$saccade" overlay soft $photo --out strips --with hard --with copies/soft --json
[ -s "$(json out /pictures/0/files/0)" ] || fail "the sheet of three models"
[ ! -s err ] || fail "they were trained on the same data"
expect 0 "$saccade" overlay soft $photo --out named --with hard --with copies/soft --format svg
for name in "copies/soft: soft (soft, expectation)" ">soft: soft (soft" ">hard (hard, argmax)"; do
  wants "$name" named/test.sheet.svg
done
expect 2 "$saccade" overlay soft $photo --out none --with hard --with ./soft
one_error "soft and ./soft are the same model"
expect 2 "$saccade" overlay soft $photo --out none --with hard --regime sample
one_error "soft: --regime"
expect 0 "$saccade" train tiny.yaml --out elsewhere train.stop=2u train.validate_every=2u   data.scenes.seed=2 decoder.type=transformer decoder.layers=2 decoder.heads=2 attention.gate=none
expect 0 "$saccade" overlay soft $photo --out named --with elsewhere --format svg
wants "elsewhere was trained on another version of the data set scenes, not on that of soft" err
wants "elsewhere (soft, expectation): test.png, layer 1" named/test.sheet.svg
expect 2 "$saccade" overlay elsewhere $photo --out none --with soft --layer all
one_error "soft: --layer" "decoder.type lstm looks once per word"
expect 0 "$saccade" overlay soft $photo --out strips --with hard --receptive-field  # one chooses
[ "$(ls strips)" = test.sheet.png ] || fail "one sheet of three models"

# refused OPTION REASON ARGS...: fails unless the option is refused as being without effect.
refused() {
  local option=$1 reason=$2
  shift 2
  expect 2 "$saccade" overlay "$@" $photo --out none
  one_error "$option" "$reason"
}
refused --colours "mask shows no colours" soft --style mask --colours viridis
refused --scale "each word's own weight" soft --style contour --scale fixed
refused --full-heat "with --scale fixed" soft --full-heat 0.5
refused --shares "all of the weight" soft --shares 0.5
refused --shares "give one number" soft --style mask --shares 0.5,0.8
refused --shares "commas" soft --style contour --shares half
refused --shares "must rise" soft --style contour --shares 0.8,0.5
refused --seconds-per-word "only --format apng is an animation" soft --seconds-per-word 1
refused --font "fonts of whoever looks" soft --format svg --font x.ttf
refused --receptive-field "no cell is chosen" soft --receptive-field
refused --alignment "leave out --with" soft --with hard --alignment
[ ! -e none ] || fail "a refused option left a folder behind"

# Pictures that cannot be read give exit code 3; the others are captioned.
expect 3 "$saccade" caption soft missing.jpg
one_error "missing.jpg"
head -c 300 $photo >cut.png
echo "no picture" >text.jpg
expect 3 "$saccade" caption soft cut.png $photo text.jpg --json
[ "$(json out '#')" -eq 1 ] || fail "the good picture was left out too"
wants "cut.png" err
wants "text.jpg" err
exit 0

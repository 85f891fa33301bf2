# The JSON of evaluate, caption, overlay and data, which other programs read.
. "$(dirname "${BASH_SOURCE[0]}")/support.sh"

expect 0 "$saccade" train tiny.yaml --out soft train.stop=60u train.validate_every=60u
expect 0 "$saccade" train tiny.yaml --out hard train.stop=60u train.validate_every=60u \
  attention.selection=hard

expect 0 "$saccade" evaluate soft --json
cp out report.json
[ "$(json report.json /schema_version)" -eq 1 ] || fail "schema_version is not 1"
[ "$(json report.json /split)" = test ] || fail "scenes were not evaluated on their test split"
[ "$(json report.json /n_images)" -eq 8 ] || fail "n_images is not 8"
[ "$(json report.json /search/beam)" -eq 2 ] || fail "the report does not have the beam of the config"
[ "$(json report.json '/regimes#')" -eq 1 ] || fail "the soft model does not have one regime"
[ "$(json report.json /regimes/0/name)" = expectation ] ||
  fail "the regime of the soft model is not expectation"
for metric in Bleu_1 Bleu_2 Bleu_3 Bleu_4 Bleu_4_no_bp true_caption_rate; do
  json report.json /regimes/0/corpus/$metric >/dev/null
done
expect 0 "$saccade" evaluate soft --json --threads 1
cmp out report.json || fail "the scores depend on the number of threads"
expect 0 "$saccade" evaluate soft
wants "BLEU-4" out
wants "perplexity" out
sed -n '2,/^details/p' out >headlines
for metric in BLEU-4 METEOR CIDEr "true captions" perplexity "map entropy"; do
  wants "$metric" headlines
done
! grep -q BLEU-1 headlines || fail "BLEU-1 is among the headlines"
[ "$(grep -c '^METEOR' out)" -eq 2 ] || fail "METEOR is not there twice, as a row and in the names of its tables"

# What every full report contains, and what it contains only with further options.
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
grep -q '"samples"\|"baselines"' report.json &&
  fail "the report has samples or baselines without the options"
expect 0 "$saccade" evaluate soft --samples 3 --baselines --json
cp out more.json
[ "$(json more.json /samples/per_image)" -eq 3 ] || fail "the report does not have 3 samples per image"
[ "$(json more.json /samples/regime)" = expectation ] ||
  fail "the samples of a soft model are not of the regime expectation"
for metric in Div_1 Div_2 mBLEU_4 self_CIDEr best_CIDEr mean_CIDEr; do
  json more.json /samples/corpus/$metric >/dev/null
done
for name in nearest consensus human; do
  for metric in Bleu_1 Bleu_4 METEOR ROUGE_L CIDEr; do
    json more.json /baselines/$name/$metric >/dev/null
  done
done
[ "$(json more.json /perplexity)" = "$(json report.json /perplexity)" ] ||
  fail "samples change the perplexity"
expect 0 "$saccade" evaluate soft --samples 3 --baselines --json --threads 1
cmp out more.json || fail "samples or baselines depend on the number of threads"
expect 0 "$saccade" evaluate soft --samples 2 --baselines
for text in self-CIDEr consensus human; do wants $text out; done
expect 0 "$saccade" evaluate soft --no-ablations --json
json out /attention_health/entropy >/dev/null
grep -q '"ablations"' out && fail "the report has ablations in spite of --no-ablations"
expect 2 "$saccade" evaluate soft --samples 1
one_error "--samples" "at least 2"

expect 0 "$saccade" evaluate hard --json
[ "$(json out '/regimes#')" -eq 4 ] || fail "the hard model does not have four regimes"
names=$(for i in 0 1 2; do json out /regimes/$i/name; done | sort | tr '\n' ' ')
[ "$names" = "argmax expectation sample " ] || fail "the first regimes are $names"
expect 0 "$saccade" evaluate hard --samples 2 --json
[ "$(json out /samples/regime)" = sample ] ||
  fail "the samples of a hard model are not of the regime sample"

expect 0 "$saccade" data tiny.yaml --out sheets
[ -s sheets/test.png ] || fail "there is no contact sheet"
expect 0 "$saccade" data tiny.yaml --json
[ "$(json out /splits/0/images)" -eq 48 ] || fail "the number of training images is not 48"
for key in /vocabulary_size /cut_captions /lengths /splits/2/unknown_share; do
  json out $key >/dev/null
done

# Any picture of another size and shape serves as a photo.
photo=sheets/test.png
expect 0 "$saccade" caption hard $photo --json
cp out captions.json
[ "$(json captions.json '#')" -eq 1 ] || fail "one image does not give one entry"
[ "$(json captions.json /0/image)" = $photo ] || fail "the entry does not name the image"
for key in /0/caption /0/words /0/grid/rows /0/grid/cols /0/geometry /0/finished; do
  json captions.json $key >/dev/null
done
if [ "$(json captions.json '/0/words#')" -gt 0 ]; then
  for key in text logprob gate sampled; do json captions.json /0/words/0/$key >/dev/null; done
  rows=$(json captions.json /0/grid/rows)
  [ "$(json captions.json '/0/words/0/attention#')" -eq "$rows" ] ||
    fail "the attention of a word does not have the rows of the grid"
fi
expect 0 "$saccade" caption soft $photo
[ "$(wc -l <out)" -eq 1 ] || fail "a caption is not one line"
# The maps of all layers and heads: these models have one of each.
expect 0 "$saccade" caption soft $photo --json --all-maps
cp out all.json
if [ "$(json all.json '/0/words#')" -gt 0 ]; then
  [ "$(json all.json '/0/maps#')" -eq 1 ] || fail "a model of one layer and head does not have one list of maps"
  [ "$(json all.json '/0/maps/0/attention#')" -eq "$(json all.json '/0/words#')" ] ||
    fail "not every word has a map"
  [ "$(json all.json /0/maps/0/attention/0/0/0)" = "$(json all.json /0/words/0/attention/0/0)" ] ||
    fail "the only map of a word is not its map"
fi
# What regions do for words: a number for every region; the caption stays the same.
expect 0 "$saccade" caption hard $photo --json --occlusion
cp out effects.json
[ "$(json effects.json /0/caption)" = "$(json captions.json /0/caption)" ] ||
  fail "--occlusion changed the words"
if [ "$(json effects.json '/0/words#')" -gt 0 ]; then
  [ "$(json effects.json '/0/words/0/occlusion#')" -eq "$(json effects.json /0/grid/rows)" ] ||
    fail "occlusion does not have the rows of the grid"
  [ "$(json effects.json '/0/words/0/occlusion/0#')" -eq "$(json effects.json /0/grid/cols)" ] ||
    fail "occlusion does not have the columns of the grid"
fi
grep -q occlusion captions.json && fail "occlusion is there without the option"
expect 0 "$saccade" caption hard $photo --json --occlusion --threads 1
cmp out effects.json || fail "occlusion depends on the number of threads"
# A page of photos: one file, whose maps of layers and heads and whose effects are there on request.
expect 0 "$saccade" caption hard $photo --page photo.html
[ "$(wc -l <out)" -eq 1 ] || fail "with --page, the caption is not printed"
wants "wrote photo.html (" err
[ "$(json captions.json '/0/words#')" -eq 0 ] || wants '"attention":"' photo.html
grep -q '"occlusion":\[\[' photo.html && fail "effects are in the page without the option"
expect 0 "$saccade" caption hard $photo $photo --page photos.html --json --occlusion --all-maps
[ "$(json out '#')" -eq 2 ] || fail "with --page, the JSON does not have both pictures"
[ "$(json captions.json '/0/words#')" -eq 0 ] || wants '"occlusion":[[' photos.html
expect 3 "$saccade" caption hard missing.jpg $photo --page rest.html
[ -s rest.html ] || fail "the picture that can be read has no page"
# A page calls a photo by its file name, and two of the same name by as much of their paths as tells them apart.
mkdir -p first/shots second/shots
cp $photo first/shots/same.png
cp $photo second/shots/same.png
expect 0 "$saccade" caption hard $photo "$PWD/first/shots/same.png" second/shots/same.png --page named.html
for name in "$(basename $photo)" first/shots/same.png second/shots/same.png; do
  wants "\"id\":\"$name\"" named.html
done
expect 3 "$saccade" caption hard missing.jpg --page none.html
[ ! -e none.html ] || fail "there is a page without a picture"
expect 0 "$saccade" caption soft $photo --page self.html --self-attention
wants "--self-attention has no effect: soft has no regions or words that attend to each other" err
! grep -q "attend to each other\." self.html || fail "the page has a remark on what it was asked for"
expect 2 "$saccade" caption soft $photo --self-attention
one_error "--self-attention has no effect"
expect 2 "$saccade" caption soft,hard $photo --page none.html --all-maps
one_error "--page needs a single model"
expect 2 "$saccade" caption soft --watch sheets --page none.html
one_error "--page"

# Pictures whose names begin with a dash, and a picture in the place of the model.
cp $photo ./-dash.png
expect 2 "$saccade" caption soft -dash.png
one_error "unknown option '-dash.png'" "./-dash.png"
expect 0 "$saccade" caption soft ./-dash.png
sed 's/.*: //' out >dashed.txt
expect 0 "$saccade" caption soft --beam 2 -- -dash.png
wants "-dash.png: $(cat dashed.txt)" out
expect 2 "$saccade" caption soft --none -- -dash.png
one_error "unknown option '--none'"
expect 4 "$saccade" caption $photo soft
one_error "$photo: is a picture and not a checkpoint" "The model comes first"

# What changes nothing is refused. Where pictures of the data are drawn, a place of the data has an effect.
for set in "--set data.min_count=3" "--set train.batch=2" "--set optimizer.lr=1" "--data images=elsewhere"; do
  for command in caption overlay; do
    expect 2 "$saccade" $command soft $photo $set
    one_error "$set has no effect on pictures that are named"
  done
done
expect 0 "$saccade" overlay soft --count 1 --out places --data scenes.test=4
# Drawings are made in a folder, whose name is none of a file.
expect 2 "$saccade" overlay soft $photo --out p1.html
one_error "--out p1.html" "name a folder, such as p1"
[ ! -e p1.html ] || fail "a folder has the name of a page"

# No page and no results over a file that is none: a slip does not cost a photo. Those of saccade are replaced.
cp $photo mine.png
cp $photo mine.html
expect 2 "$saccade" caption soft mine.png --page mine.png
one_error "--page mine.png" "the command reads this file"
expect 2 "$saccade" caption soft --page mine.png $photo
one_error "--page mine.png" "ends in .html"
expect 2 "$saccade" caption soft mine.html --page ./mine.html
one_error "the command reads this file"
expect 7 "$saccade" caption soft $photo --page mine.html
one_error "mine.html: exists and is no page of saccade's" "choose another name"
expect 2 "$saccade" report soft --images 1 --out mine.png
one_error "--out mine.png" "ends in .html"
expect 7 "$saccade" report soft --images 1 --out mine.html
one_error "mine.html: exists"
for file in mine.png mine.html; do cmp -s $photo $file || fail "$file was replaced"; done
mkdir mine.dir.html
expect 2 "$saccade" caption soft $photo --page mine.dir.html
one_error "is a folder"
: >empty.html
for page in photo.html empty.html; do
  expect 0 "$saccade" caption soft $photo --page $page
  wants "<title>saccade report</title>" $page
done
expect 0 "$saccade" caption soft $photo --page /dev/null
mkdir here
echo notes >here/report.html
(cd here && "$saccade" report ../soft ../hard --images 1 >../out 2>../err)
[ $? -eq 7 ] || fail "report replaced a report.html that is not its own"
one_error "report.html: exists"
expect 0 "$saccade" report soft --images 1
expect 0 "$saccade" report soft --images 1
echo image,caption >mine.csv
echo '{"images": [], "annotations": []}' >mine.json
cp mine.json before.json
expect 2 "$saccade" evaluate soft --images 2 --no-ablations --out mine.csv
one_error "--out mine.csv" "ends in .json"
expect 7 "$saccade" evaluate soft --images 2 --no-ablations --out mine.json
one_error "mine.json: exists and is no file of captions"
cmp -s mine.json before.json || fail "the captions were replaced"
for images in 2 3; do
  expect 0 "$saccade" evaluate soft --images $images --no-ablations --out own.json
  [ "$(json own.json '#')" -eq $images ] || fail "the results of an evaluation were not replaced by those of the next"
done
expect 5 "$saccade" caption soft $photo --page missing/none.html
expect 2 "$saccade" caption hard $photo --occlusion
one_error "give --json or --page as well"
expect 2 "$saccade" caption soft,hard $photo --occlusion --json
one_error "--occlusion needs a single model"
expect 2 "$saccade" caption hard $photo --occlusion --json --regime sample
one_error "--occlusion" "sample"
expect 2 "$saccade" caption soft $photo --all-maps
one_error "give --json or --page as well"
expect 2 "$saccade" caption soft,hard $photo --all-maps --json
one_error "--all-maps needs a single model"

expect 0 "$saccade" overlay hard $photo --out pictures
[ -s pictures/test.sheet.png ] || fail "there is no sheet"
json pictures/test.json /caption >/dev/null
wants pictures/test.sheet.png out

# A sheet can show other measures of a map than its weights.
expect 0 "$saccade" overlay soft $photo --out measured --measure relative --format svg
wants "over equal weights (line: 1)" measured/test.sheet.svg
expect 0 "$saccade" overlay soft $photo --out measured --measure gated --format svg --with hard
wants "times the gate" measured/test.sheet.svg
expect 2 "$saccade" overlay soft $photo --out none --measure relativ
one_error "relative"

# Options that choose among maps are refused if the model has only one map per word.
expect 2 "$saccade" overlay soft $photo --out none --layer 0
one_error "--layer" "decoder.type lstm attends once per word"
expect 2 "$saccade" overlay soft $photo --out none --rollout
one_error "--rollout" "encoder.refine.layers is 0"
expect 2 "$saccade" overlay soft $photo --out none --format apng
expect 3 "$saccade" overlay soft missing.jpg --out none
[ ! -e none ] || fail "a refused command left a folder behind"
# An option that the model of the checkpoint does not read is refused.
expect 2 "$saccade" caption soft $photo --set decoder.layers=6
one_error "--set decoder.layers has no effect"

# Other formats and styles, and sheets of several models.
for format in svg pdf; do
  expect 0 "$saccade" overlay hard $photo --out drawn --format $format --style cells --receptive-field
done
for file in test.sheet.svg test.sheet.pdf test.json; do
  [ -s drawn/$file ] || fail "drawn/$file is missing"
done
grep -q "see</text>" drawn/test.sheet.svg || fail "the sheet has no receptive field"
mkdir copies
cp -r soft copies
expect 0 "$saccade" overlay soft $photo --out strips --with hard --with copies/soft --json
[ -s "$(json out /pictures/0/files/0)" ] || fail "there is no sheet of the three models"
! grep -q "was trained on another" err || fail "models of the same data gave a warning"
expect 0 "$saccade" overlay soft $photo --out named --with hard --with copies/soft --format svg
for name in "copies/soft: soft (soft, expectation)" ">soft: soft (soft" ">hard (hard, argmax)"; do
  wants "$name" named/test.sheet.svg
done
expect 2 "$saccade" overlay soft $photo --out none --with hard --with ./soft
one_error "soft and ./soft are the same model"
expect 2 "$saccade" overlay soft $photo --out none --with hard --regime sample
one_error "soft: --regime"
expect 0 "$saccade" train tiny.yaml --out elsewhere train.stop=2u train.validate_every=2u \
  data.scenes.seed=2 decoder.type=transformer decoder.layers=2 decoder.heads=2 attention.gate=none \
  search.min_length=1
expect 0 "$saccade" overlay soft $photo --out named --with elsewhere --format svg
wants "elsewhere was trained on another version of the data set scenes, not on that of soft" err
wants "elsewhere (soft, expectation): test.png, layer 1" named/test.sheet.svg
expect 2 "$saccade" overlay elsewhere $photo --out none --with soft --layer all
one_error "soft: --layer" "decoder.type lstm attends once per word"
# Only the hard model chooses cells.
expect 0 "$saccade" overlay soft $photo --out strips --with hard --receptive-field
[ "$(ls strips)" = test.sheet.png ] || fail "another sheet was written beside the one that is replaced"

# refused OPTION REASON ARGS...: fails unless the option is refused for this reason.
refused() {
  local option=$1 reason=$2
  shift 2
  expect 2 "$saccade" overlay "$@" $photo --out none
  one_error "$option" "$reason"
}
refused --colours "alpha shows no colours" soft --style alpha --colours viridis
refused --full-heat "with --scale fixed" soft --full-heat 0.5
refused --font "fonts of the viewer's system" soft --format svg --font x.ttf
refused --receptive-field "no cell is chosen" soft --receptive-field
refused --alignment "leave out --with" soft --with hard --alignment
refused --panels "leave out --with" soft --with hard --panels 300
[ ! -e none ] || fail "a refused option left a folder behind"

# Without panels, a sheet and its numbers are left, and panels of an earlier call go.
expect 0 "$saccade" overlay hard $photo --out bare --panels 20
for panel in bare/test/*.png; do
  [ -e "$panel" ] || continue  # the caption may be empty
  read -r _ _ _ width _ _ _ height < <(od -An -tu1 -j16 -N8 "$panel")
  [ $((width > height ? width : height)) -eq 20 ] || fail "the longest side of a panel is not 20 pixels"
done
expect 0 "$saccade" overlay hard $photo --out bare --panels 0
[ -z "$(ls bare/test 2>/dev/null)" ] || fail "panels were written, or old ones left"
[ -s bare/test.sheet.png ] && [ -s bare/test.json ] || fail "the sheet or its numbers are missing"

# What lies beside a user's own photos stays as it is.
mkdir -p own/test
echo own >own/test/01-red.png
expect 0 "$saccade" overlay hard $photo --out own --panels 0
[ "$(cat own/test/01-red.png)" = own ] || fail "a picture that no overlay drew was removed"
echo '{"boxes": []}' >own/test.json
expect 7 "$saccade" overlay hard $photo --out own
wants "error: own/test.json: exists and is no file that overlay wrote" err
[ "$(cat own/test.json)" = '{"boxes": []}' ] || fail "a user's file was replaced"
expect 7 "$saccade" data tiny.yaml --out sheets
one_error "sheets/train.png: exists"

# Pictures that cannot be read give exit code 3; the others are captioned.
expect 3 "$saccade" caption soft missing.jpg
one_error "missing.jpg"
head -c 300 $photo >cut.png
echo "no picture" >text.jpg
expect 3 "$saccade" caption soft cut.png $photo text.jpg --json
[ "$(json out '#')" -eq 1 ] || fail "the picture that can be read was not captioned"
wants "cut.png" err
wants "text.jpg" err

# An error in a value that replaces one of the model's says where the value was given.
expect 2 "$saccade" caption soft $photo --set search.beam=0
one_error "command line: search.beam=0: "

# What libpng and libjpeg have against a picture is one line of this program.
damaged_pictures
expect 3 "$saccade" caption soft damaged.png
one_error "damaged.png: the image is damaged" "incorrect data check"
for command in "caption soft" "overlay soft --out drawn"; do
  expect 0 "$saccade" $command damaged.jpg
  [ "$(grep -vc "was trained on drawn scenes" err)" -eq 1 ] || fail "$command: stderr is not one line"
  wants "warning: damaged.jpg: the image may be damaged (Corrupt JPEG data: 21 extraneous bytes" err
done
exit 0

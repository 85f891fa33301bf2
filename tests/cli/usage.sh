# Usage errors give exit code 2 and one line that names the remedy. Also help and version, and output that
# cannot be written.
readme=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../core" && pwd)/README.md
. "$(dirname "${BASH_SOURCE[0]}")/support.sh"

# OpenCV's codecs load 120 more libraries, which takes three times as long as the whole start without them.
full=$(dirname "$saccade")/libexec/saccade/saccade
ldd "$full" >libraries || fail "ldd cannot read the program"
[ "$(grep -c libopencv_core libraries)" -eq 1 ] || fail "the program does not link OpenCV as this test thinks"
! grep -E 'imgcodecs|opencv_dnn' libraries || fail "the program links OpenCV's codecs, its networks, or a library that does"
# Scoring starts at once: the small program that does it links no library of models or of the server, and works
# where the full program is missing. Both say the same.
mkdir alone
cp "$saccade" alone/
alone=$PWD/alone/saccade
ldd "$alone" >libraries || fail "ldd cannot read the small program"
! grep -E 'hdf5|dnnl|opencv|yaml|onnx|ssl|curl|cairo' libraries || fail "scoring loads libraries that it does not need"
printf 'a red square\tthe red square\na small blue circle\n' >references.txt
printf 'a red square\na blue circle\n' >results.txt
for line in "score --help" --version "score references.txt results.txt --json" "score references.txt results.txt --level 2" \
  "score --levle 1" "score missing.txt results.txt"; do
  "$full" $line >wanted 2>wanted_err
  expect $? "$alone" $line
  cmp wanted out && cmp wanted_err err || fail "the small program says something else to $line"
done
for line in "" --help "--threads 1 score --help" list "--version list" \
  "score results.txt results.txt --against references.txt"; do
  expect 5 "$alone" $line
  one_error "$alone" libexec/saccade/saccade "install saccade again"
  [ ! -s out ] || fail "output beside the error"
  "$full" $line >wanted 2>wanted_err
  expect $? "$saccade" $line
  cmp wanted out && cmp wanted_err err || fail "the program says something else to $line"
done
mkdir -p alone/libexec/saccade
echo "no program" >alone/libexec/saccade/saccade
expect 5 "$alone" list
one_error "$PWD/alone/libexec/saccade/saccade" "does not start"
# Installed, the full program lies in the folder above. A link to the small program finds it, too.
mkdir -p prefix/bin
cp "$saccade" prefix/bin/
cp -r "$(dirname "$full")/.." prefix/libexec
ln -s prefix/bin/saccade linked
expect 0 ./linked list attention
rm -r alone prefix linked

expect 2 "$saccade"
one_error "no command" "train" "saccade --help"
expect 2 "$saccade" trian
one_error "unknown command 'trian'" "did you mean 'train'?"
expect 2 "$saccade" train --out run
one_error "config is required" "saccade train --help"
expect 2 "$saccade" train tiny.yaml
one_error "--out is required"
expect 2 "$saccade" train tiny.yaml --out run --resum
one_error "unknown option '--resum'" "did you mean '--resume'?"
expect 2 "$saccade" train tiny.yaml --out run --threads zero
one_error "--threads"
# Numbers are decimal.
for number in 0x10 010 1e2 +-1 nan "" "1 " 1.5 0 1025; do
  expect 2 "$saccade" train tiny.yaml --out run --threads "$number"
  one_error "--threads"
done
for number in 0x1 00.5 nan inf 1e999 "" ".5 " 0,5; do
  expect 2 "$saccade" score a b --level "$number"
  one_error "--level"
done
expect 2 "$saccade" list attentoin
one_error "did you mean 'attention'?"
expect 2 "$saccade" train missing.yaml --out run
one_error "missing.yaml"
[ ! -e run ] || fail "a usage error left a directory behind"

# All mistakes of a config are reported at once, each with its place.
printf 'name: x\ndecoder:\n  hiden: 12\ntrain:\n  batch: 0\n' >wrong.yaml
expect 2 "$saccade" train wrong.yaml --out run
wants "wrong.yaml:3:3: unknown key 'hiden' in decoder (did you mean 'hidden'?)" err
wants "wrong.yaml:5:10:" err
expect 2 "$saccade" config check wrong.yaml
expect 2 "$saccade" config check tiny.yaml train.bacth=3
one_error "did you mean 'batch'?"
# Values that are valid by themselves but not together are refused.
expect 2 "$saccade" config check tiny.yaml attention.score=none attention.selection=hard
one_error "attention.score none needs attention.selection soft"
expect 2 "$saccade" config check tiny.yaml attention.selection=gumbel_st objective.self_critical.start=1u
one_error "choose soft or hard"
expect 2 "$saccade" config check tiny.yaml attention.selection=hard attention.hard.likelihood=marginal \
  objective.self_critical.start=1u
one_error "attention.hard.likelihood choice"
expect 2 "$saccade" config check tiny.yaml optimizer.schedule=cosine optimizer.warmup=24
one_error "optimizer.warmup"
# Of drawn scenes it is known how many updates an epoch has.
expect 2 "$saccade" config check tiny.yaml optimizer.schedule=cosine optimizer.warmup=24 train.stop=1e \
  train.captions=one_per_image
one_error "optimizer.warmup is 24 updates"
# A cost that is the logarithm of weights has no minimum where the weights have no bound.
expect 2 "$saccade" config check tiny.yaml attention.mechanism=differential \
  objective.supervision.localizer.weight=0.3
one_error "objective.supervision.localizer.weight needs weights that are shares of one"
expect 2 "$saccade" config check tiny.yaml search.min_length=20
one_error "search.min_length 20 is more than search.max_length 8"
expect 2 "$saccade" config check tiny.yaml encoder.type=vit encoder.positions=none encoder.vit.size=small \
  encoder.vit.width=16 encoder.vit.layers=1 encoder.vit.heads=2
one_error "encoder.vit.size small has no effect"
# An option on the command line that the trained model does not read is refused, even if an arm in the
# config would read it.
printf 'base: tiny.yaml\ncompare: {axes: {attention.selection: [soft, hard]}}\n' >arms.yaml
expect 2 "$saccade" train arms.yaml --out run attention.hard.samples=6
one_error "command line: attention.hard.samples has no effect"
expect 2 "$saccade" train tiny.yaml --out run train.best_metric=blue_4
one_error "train.best_metric" "did you mean 'Bleu_4'?" "saccade list metrics"
expect 2 "$saccade" config check tiny.yaml "train.early_stop={metric: atention_entropy, patience: 2}"
one_error "train.early_stop.metric" "did you mean 'attention_entropy'?"
expect 2 "$saccade" config check tiny.yaml train.best_metric=perplexity
one_error "validations do not measure perplexity"
# The metric exists, but these validations do not measure it.
expect 2 "$saccade" train tiny.yaml --out run train.best_metric=attention_entropy train.watch_maps=false
wants "validations of this run do not measure attention_entropy; it can choose by Bleu_1" err
[ ! -e run ] || fail "a run with a wrong metric left its directory behind"

expect 0 "$saccade" config show tiny.yaml train.batch=7 --json
[ "$(grep -A1 '"train.batch"' out | tail -n 1)" = '      "value": "7",' ] ||
  fail "the value is not in the JSON of config show"
expect 0 "$saccade" config check tiny.yaml --json
[ "$(json out '/arms#')" -eq 1 ] || fail "the JSON of config check does not have one arm"

# config show prints YAML that gives the same config again.
expect 0 "$saccade" config show tiny.yaml train.batch=7
wants "# tiny.yaml:" out
wants "batch: 7  # command line" out
cp out shown.yaml
expect 0 "$saccade" config show shown.yaml
diff <(sed 's/  #.*//' shown.yaml) <(sed 's/  #.*//' out) ||
  fail "config show prints its own output differently"
expect 0 "$saccade" config check shown.yaml
# An option around the arms has to be read by one of them.
printf 'base: tiny.yaml\ndecoder: {layers: 2}\ncompare: {axes: {decoder.type: [gru, %s]}}\n' luong >idle.yaml
expect 2 "$saccade" config check idle.yaml
one_error "idle.yaml:2: decoder.layers has no effect: no arm reads it"
sed 's/luong/transformer/' idle.yaml >read.yaml
expect 0 "$saccade" config check read.yaml
# Files that a config names must exist. Files that it needs and does not name are reported.
expect 3 "$saccade" config check tiny.yaml data.type=folder data.images=no/photos
one_error "data.images: no/photos is missing"
frozen="encoder.type=onnx_native encoder.frozen_stages=-1 encoder.layer=x"
expect 3 "$saccade" config check tiny.yaml $frozen encoder.model=no.onnx \
  decoder.embeddings.source=file decoder.embeddings.file=no.txt train.init_from=no/run
for text in "encoder.model: no.onnx is missing; configs/README.md" "no.txt is missing" \
  "train.init_from: no/run is missing"; do
  wants "$text" err
done
expect 0 "$saccade" config check tiny.yaml data.type=karpathy $frozen
for key in data.annotations data.images encoder.model; do
  wants "$key is not given and " err
done
wants "tiny.yaml: no mistakes" out
expect 0 "$saccade" config check tiny.yaml data.type=folder data.images=. objective.supervision.boxes=0.5
wants "data.boxes is not given and objective.supervision.boxes 0.5 needs it" err
expect 0 "$saccade" config check tiny.yaml objective.supervision.boxes=0.5 # scenes know their boxes
[ ! -s err ] || fail "boxes of scenes are asked for"

for command in train evaluate caption overlay compare report serve score runs new data features inspect convert list config; do
  expect 0 "$saccade" $command --help
  grep -qi "example" out || fail "$command --help shows no example"
  wants "saccade $command" out
  wants "--threads" out
  wants "--models" out
done
expect 0 "$saccade" --help
expect 0 "$saccade" --version
wants "compiler: " out
wants "SIMD: " out
wants "oneDNN" out

for topic in attention encoders decoders objectives data optimizers schedules training searches regimes metrics config models; do
  expect 0 "$saccade" list $topic
  expect 0 "$saccade" list $topic --json
  json out /schema_version >/dev/null
done
expect 0 "$saccade" list metrics
for text in "Bleu_4" "shown as BLEU-4; larger is better" "smaller is better" "variants: Bleu_4_no_bp" "references_: " "measured by: score" \
  "headline, not of texts"; do
  wants "$text" out
done
grep -A1 "^  references_: " out | grep -q "measured by: evaluate, compare" ||
  fail "list metrics does not say that evaluate measures references_*"
expect 0 "$saccade" list metrics --json
[ "$(json out /metrics/0/name)" = nll_per_word ] || fail "the first metric"
# The references' nouns are judged by evaluate and compare, and some of them by validations.
grep -A8 '"name": "references_pointing_nouns"' out | grep -q '"evaluate"' ||
  fail "references_pointing_nouns is not measured by evaluate"
# CIDEr is CIDEr-D among the metrics and plain CIDEr among the rewards, and both lists say so.
wants_line() { grep "^ *$1 " out | grep -qF -- "$2" || fail "the line of $1 does not say '$2'"; }
expect 0 "$saccade" list objectives
wants_line CIDEr_D "which scores call CIDEr"
wants_line CIDEr "not what scores call CIDEr, but CIDEr_plain"
expect 0 "$saccade" list config
wants "objective.self_critical.reward.CIDEr: weight of plain CIDEr" out
expect 0 "$saccade" list metrics
wants_line CIDEr "as a reward of self-critical training CIDEr_D"
wants_line CIDEr_plain "as a reward of self-critical training CIDEr"
expect 0 "$saccade" list encoders
for text in "vit.overlap" "vit.attention.type" "vit.start" "mimetic" "source: He et al. 2016" \
  "source: Simonyan and Zisserman 2015" "source: Dosovitskiy et al. 2021"; do
  wants "$text" out
done
[ "$(sed -n '/(encoder.type)/,/(encoder.resize)/p' out | grep -c "source: ")" -eq 15 ] ||
  fail "not every encoder has a source"
expect 0 "$saccade" list decoders
wants "options: attention.*, init_hidden" out
# The options come from their declarations, and the limits from the rules that refuse.
wants "options of all: hidden, embedding, dropout, tie_embeddings, embeddings.*, image" out
wants "options: weights, frozen, layers, heads, self_attention.type," out
[ "$(grep -c "not with: attention.sentinel true: a sentinel is made from a memory cell" out)" -eq 2 ] ||
  fail "gru and transformer are not those without a sentinel"
! grep -qE "attention\.score(,|$)" out || fail "the options of a section are listed beside the section"
! grep -E "^ +(options|not with): .{130}" out || fail "a line of options is too long"
# Every attention among words that is listed is one that training takes.
cp out listed
for key in decoder.self_attention.type decoder.self_attention.neighbours; do
  choices=$(sed -n "/($key)/,/^decoders/p" listed | sed -n 's/^  \([a-z_]\+\) .*/\1/p')
  [ "$(wc -w <<<"$choices")" -ge 2 ] || fail "no choices of $key are listed"
  for choice in $choices; do
    type=$choice
    [ $key = decoder.self_attention.type ] || type=graph
    expect 0 "$saccade" config check tiny.yaml decoder.type=transformer decoder.heads=2 \
      decoder.self_attention.type=$type $key=$choice
  done
done
# Every axis of the README's table is listed.
expect 0 "$saccade" list attention
wants "source: Vaswani et al. 2017" out
expect 0 "$saccade" list
axes=$(sed -n '/^| key | question | choices |/,/^$/s/^| `\([a-z_.]*\)`.*/\1/p' "$readme")
[ "$(wc -w <<<"$axes")" -ge 11 ] || fail "the table of axes is not found in $readme"
for axis in $axes; do wants "($axis)" out; done
# Only evaluate can take all regimes.
expect 0 "$saccade" evaluate --help
wants "as 'saccade list regimes' describes them, or all that suit the model" out
expect 0 "$saccade" caption --help
wants "as 'saccade list regimes' describes them (default: the model's own)" out
expect 0 "$saccade" list config
wants "read where decoder.type is transformer" out
wants "may change when a run is resumed, where encoder.type is features, or encoder.frozen_stages is -1" out
expect 0 "$saccade" list
wants "additive" out
wants "flickr8k" out

# A reader that closes the pipe early causes no error message.
"$saccade" list config 2>err | head -n 1 >out
[ "$(cat out err | grep -c .)" -le 1 ] || fail "list | head gives an error message"
# Output that cannot be written because the disk is full is an error.
[ -e /dev/full ] && { "$saccade" list config >/dev/full 2>err; [ $? -eq 5 ] ||
  fail "the exit code is not 5"; }

expect 2 "$saccade" --color=always trian
[ "$(NO_COLOR=1 "$saccade" trian 2>&1 | tr -d '[:print:]\n' | wc -c)" -eq 0 ] ||
  fail "a message has colours in spite of NO_COLOR"
# What would end a training midway is reported before it begins.
expect 2 "$saccade" config check tiny.yaml decoder.type=transformer attention.gate=none \
  decoder.hidden=16 decoder.longest=8
one_error "decoder.longest 8 is too short for" "raise it to"
expect 2 "$saccade" config check tiny.yaml encoder.type=resnet18 encoder.frozen_stages=2
one_error "encoder.frozen_stages 2 would freeze random weights"
# Benchmarks tell mistakes in the same way.
bench=$(dirname "$1")/saccade_bench
expect 2 "$bench" caption_photo
one_error "caption_photo needs --checkpoint and --photo"
expect 4 "$bench" caption_photo --checkpoint none.h5 --photo none.png
one_error "none.h5"
expect 3 "$(dirname "$1")/saccade_score_bench" none.json
one_error "none.json"
exit 0

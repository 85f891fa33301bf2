# Data sets that are missing, broken, empty or hostile give one line and the documented exit code.
. "$(dirname "${BASH_SOURCE[0]}")/support.sh"

# A folder of pictures that works, made from a contact sheet of the built-in scenes.
expect 0 "$saccade" data tiny.yaml --out pictures
for i in $(seq 12); do cp pictures/train.png pictures/p$i.png; done
{
  echo image,caption,split
  for i in $(seq 10); do echo "p$i.png,a red square number $i and café,train"; done
  echo "p11.png,a red square,val"
  echo "p12.png,\"=cmd <script> a very long caption that has more words than are allowed\",val"
} >pictures/captions.csv
set -- data.type=folder data.images=pictures encoder.image_size=32 train.stop=3u \
  train.validate_every=3u
expect 0 "$saccade" train tiny.yaml --out folder "$@" data.max_length=5 train.stop=60u \
  train.validate_every=60u
expect 0 "$saccade" data tiny.yaml "$@" data.max_length=5 --json
[ "$(json out /cut_captions)" -eq 10 ] || fail "the number of cut captions is not 10"
[ "$(json out /splits/1/unknown_words)" -gt 5 ] || fail "not more than 5 unknown words were counted"
expect 0 "$saccade" evaluate folder --json
[ "$(json out /split)" = val ] || fail "the data have no test split, and val was not evaluated instead"

# Boxes of photos are found by file name, and other files are refused.
expect 3 "$saccade" evaluate folder --boxes none.json
one_error "none.json" "no such file or folder" "instances"
expect 3 "$saccade" evaluate folder --boxes pictures
one_error "pictures: has no folder Annotations"
cat >boxes.json <<'JSON'
{"images": [{"id": 1, "file_name": "p11.png", "width": 100, "height": 100}],
 "categories": [{"id": 1, "name": "square"}],
 "annotations": [{"image_id": 1, "category_id": 1, "bbox": [0, 0, 100, 100]}]}
JSON
expect 0 "$saccade" evaluate folder --boxes boxes.json --json
[ "$(json out /grounding/images)" -eq 1 ] || fail "the boxes of one image were not found by its file name"
[ "$(json out /grounding/ground_truth_words/nouns)" -eq 1 ] || fail "the noun 'square' was not counted"
[ "$(json out /grounding/ground_truth_words/model/pointing_accuracy)" = 1.0 ] ||
  fail "a map does not point into a box that covers the whole image"
expect 0 "$saccade" evaluate folder --boxes boxes.json
wants "boxes of boxes.json" out
expect 0 "$saccade" compare folder --boxes boxes.json --json # its caption names the square
[ "$(json out /arms/0/regimes/0/corpus/attention_correctness/mean)" = 1.0 ] ||
  fail "the comparison did not use the boxes"
expect 0 "$saccade" report folder --boxes boxes.json --out page.html
# A checkpoint's config cannot be edited: where its data are missing, the error names the option.
mv pictures moved
for command in "evaluate folder" "report folder --out none.html" "overlay folder"; do
  expect 3 "$saccade" $command
  wants "data.images: pictures is missing" err
  wants "to say where it is, add --data images=PLACE" err
done
mv moved pictures
wants '"boxes":"boxes.json, words' page.html
wants '"hit":true' page.html
! grep -q '"verdict":"' page.html ||
  fail "a photo's caption has a verdict, which only captions of scenes can have"
# Validations, evaluations and reports read the boxes that the config names.
expect 0 "$saccade" train tiny.yaml --out boxed "$@" data.max_length=5 train.stop=60u \
  train.validate_every=30u data.boxes=boxes.json \
  train.best_metric=references_attention_correctness_over_uniform
wants '"references_attention_correctness_over_uniform":1.0' boxed/metrics.jsonl
wants '"attention_entropy":' boxed/metrics.jsonl
wants '"CIDEr_shuffled_drop":' boxed/metrics.jsonl
[ -e boxed/checkpoints/best-references_attention_correctness_over_uniform ] ||
  fail "there is no best checkpoint by a metric of the maps"
expect 0 "$saccade" evaluate boxed --json
[ "$(json out /grounding/boxes | cut -d, -f1)" = boxes.json ] ||
  fail "the evaluation did not use the boxes of the config"
expect 0 "$saccade" train tiny.yaml --out unwatched "$@" train.watch_maps=false
! grep -q attention_entropy unwatched/metrics.jsonl ||
  fail "train.watch_maps is false, and metrics.jsonl has metrics of the maps"
expect 3 "$saccade" train tiny.yaml --out boxless "$@" data.boxes=none.json
one_error "none.json" "data.boxes"
# `data` says of each file of the config whether it is there, what it is, and where to read how to get it. What
# can be read is described all the same.
frozen="encoder.type=onnx_native encoder.frozen_stages=-1 encoder.layer=x"
others="$frozen decoder.embeddings.source=file decoder.embedding=2"
expect 3 "$saccade" data tiny.yaml "$@" $others data.boxes=none.json encoder.model=mobilenet.onnx \
  decoder.embeddings.file=words.txt train.init_from=no/run
wants "there: data.images = pictures" out
wants "missing: data.boxes = none.json (boxes of the objects in the photos" out
wants "missing: encoder.model = mobilenet.onnx (path of the .onnx file)" out
wants "train: 10 images" out
for text in "data.boxes: none.json is missing; check the path, which starts at $PWD; configs/README.md" \
  "encoder.model: mobilenet.onnx is missing; configs/README.md of saccade's sources says where to get it" \
  "decoder.embeddings.file: words.txt is missing; " "train.init_from: no/run is missing; check the path"; do
  wants "error: $text" err
done
[ "$(grep -c '^error: ' err)" -eq 4 ] || fail "not one error for each of the four files"
expect 3 "$saccade" data tiny.yaml "$@" data.boxes=none.json --json
[ "$(json out /files/0/key) $(json out /files/0/state)" = "data.images there" ] || fail "the photos are there"
[ "$(json out /files/1/key) $(json out /files/1/state)" = "data.boxes missing" ] || fail "the boxes are missing"
wants "where published data" <(json out /files/1/problem)
[ "$(json out /splits/0/images)" -eq 10 ] || fail "the images were not counted"
# The page that a message names is one of this machine: that of an installation is found from the program's place.
mkdir -p "$base/share/saccade/configs"
copy_program "$base/bin"
cp "$(dirname "${BASH_SOURCE[0]}")/../../configs/README.md" "$base/share/saccade/configs/"
expect 3 "$base/bin/saccade" data tiny.yaml "$@" $frozen encoder.model=mobilenet.onnx
guide=$(sed -n 's|^error: encoder.model: mobilenet.onnx is missing; \(/.*\) says where to get it$|\1|p' err)
[ -n "$guide" ] && cmp -s "$guide" "$base/share/saccade/configs/README.md" || fail "the message names no page that is there"
rm -r "$base/share" "$base/bin"
# What is there is opened.
printf 'red 1 2\nsquare 3 4\n' >words.txt
expect 0 "$saccade" data tiny.yaml "$@" data.boxes=boxes.json decoder.embedding=2 \
  decoder.embeddings.source=file decoder.embeddings.file=words.txt
wants "there: data.boxes = boxes.json (boxes of 1 image)" out
wants "there: decoder.embeddings.file = words.txt (vectors of 2 of the " out
[ ! -s err ] || fail "nothing is missing, and there is a message"
head -c 3000 /dev/zero >damaged.onnx
expect 3 "$saccade" data tiny.yaml "$@" $others data.boxes=pictures encoder.model=damaged.onnx \
  decoder.embeddings.file=boxes.json
for text in "data.boxes = pictures" "encoder.model = damaged.onnx" "decoder.embeddings.file = boxes.json"; do
  wants "unusable: $text" out
done
wants "data.boxes: pictures: has no folder Annotations" err
# What is not given may be given to another command, unless the captions cannot be read without it.
expect 0 "$saccade" data tiny.yaml "$@" $frozen
wants "not given: encoder.model (path of the .onnx file)" out
wants "warning: encoder.model is not given and encoder.type onnx_native needs it" err
expect 2 "$saccade" data tiny.yaml data.type=karpathy data.annotations=none.json
wants "data.images is not given and data.type karpathy needs it" err
wants "data.annotations: none.json is missing" err
expect 3 "$saccade" data tiny.yaml data.type=karpathy data.annotations=none.json data.images=boxes.json --json
[ "$(json out /files/1/state)" = unusable ] || fail "a file is taken as the folder of the photos"
wants "data.images: boxes.json is a file; name the folder of the images" err

sed -i 's/100, 100\]/100]/' boxes.json
expect 3 "$saccade" evaluate folder --boxes boxes.json
one_error "boxes.json: annotations[0].bbox" "[x, y, width, height]"
expect 0 "$saccade" evaluate boxed --json
wants "maps are not judged by boxes (data.boxes): boxes.json" err

# A picture that cannot be read is refused, or left out and counted.
head -c 400 pictures/p3.png >cut.png
mv cut.png pictures/p3.png
expect 3 "$saccade" train tiny.yaml --out strict "$@"
one_error "p3.png" "data.on_bad_image=skip"
[ ! -e strict ] || fail "a run that could not start left its directory behind"
expect 0 "$saccade" train tiny.yaml --out lax "$@" data.on_bad_image=skip
wants "p3.png" err
rm pictures/p*.png
expect 3 "$saccade" train tiny.yaml --out strict "$@"

expect 3 "$saccade" train tiny.yaml --out x data.type=folder data.images=nowhere
one_error "data.images: nowhere is missing"
expect 2 "$saccade" train tiny.yaml --out x data.type=karpathy
one_error "data.annotations"
mkdir photos
set -- "$saccade" train tiny.yaml --out x data.type=karpathy data.annotations=a.json \
  data.images=photos
expect 3 "$@"
one_error "data.annotations: a.json is missing"
echo '{"images": [' >a.json
expect 3 "$@"
one_error "a.json"
echo '{"dataset": "x", "images": []}' >a.json
expect 3 "$@"
one_error "a.json"
echo '{"dataset": "x", "images": [{"filename": "../../etc/passwd", "split": "train",
  "imgid": 0, "sentences": [{"raw": "a b", "tokens": ["a", "b"]}]}]}' >a.json
expect 3 "$@"
one_error "a.json"
# One image cannot be split: a missing validation split is reported before training, not after it.
echo '{"dataset": "x", "images": [{"filename": "a.png", "split": "train", "imgid": 0,
  "sentences": [{"raw": "a b", "tokens": ["a", "b"]}]}]}' >a.json
cp pictures/train.png photos/a.png
expect 3 "$@"
one_error "val"

expect 3 "$saccade" train tiny.yaml --out x data.min_count=1000000
one_error "min_count"
expect 3 "$saccade" train tiny.yaml --out x $frozen encoder.model=no.onnx
one_error "no.onnx"
expect 3 "$saccade" inspect no.onnx
one_error "no.onnx"
expect 3 "$saccade" inspect damaged.onnx
one_error "damaged.onnx"
expect 2 "$saccade" train tiny.yaml --out x encoder.type=onnx_native
one_error "encoder.model"
expect 2 "$saccade" train tiny.yaml --out x attention.hard.profile=custom attention.selection=hard
one_error "custom"
[ ! -e x ] || fail "a run that could not start left its directory behind"
exit 0

# Several data sets in one run: a folder and a COCO file, whose photos have the same names and numbers.
. "$(dirname "${BASH_SOURCE[0]}")/support.sh"

expect 0 "$saccade" data tiny.yaml --out sheets
mkdir mine theirs
for i in $(seq 8); do cp sheets/train.png mine/$i.png; done
for i in $(seq 12); do cp sheets/val.png theirs/$i.png; done
{
  echo image,caption,split
  for i in $(seq 6); do echo "$i.png,a red square of mine,train"; done
  for i in 7 8; do echo "$i.png,a red square of mine,val"; done
} >mine/captions.csv
# coco FROM TO: the captions of the photos FROM to TO.
coco() {
  local i images='' captions=''
  for i in $(seq "$1" "$2"); do
    images+="${images:+, }{\"id\": $i, \"file_name\": \"$i.png\", \"width\": 64, \"height\": 64}"
    captions+="${captions:+, }{\"id\": $i, \"image_id\": $i, \"caption\": \"a blue circle of theirs\"}"
  done
  echo "{\"images\": [$images], \"annotations\": [$captions]}"
}
coco 1 8 >train.json
coco 9 12 >val.json
cat >two.yaml <<YAML
base: tiny.yaml
name: two
data:
  type: joined
  sets:
    mine: {type: folder, images: mine}
    theirs: {type: coco, annotations: train.json, images: theirs, val_annotations: val.json,
      val_images: theirs, share: 0.5}
train: {stop: 4u, validate_every: 2u}
YAML
expect 0 "$saccade" config check two.yaml
expect 0 "$saccade" data two.yaml --json
[ "$(json out /splits/0/sets/0/images) $(json out /splits/0/sets/1/images)" = "6 8" ] || fail "training images"
expect 0 "$saccade" data two.yaml
wants "train: 14 images (6 of mine, 8 of theirs)" out
wants "there: data.sets.theirs.val_annotations = val.json" out
wants "theirs/3.png: a blue circle of theirs" out
wants "an epoch trains on 4 of the 8 training images of theirs, drawn anew (data.sets.theirs.share 0.5)" out
! grep -q "images of mine, drawn anew" out || fail "a set of which an epoch takes all has a line"
expect 0 "$saccade" data two.yaml --json
[ "$(json out /splits/0/sets/1/share) $(json out /splits/0/sets/1/images_in_epoch)" = "0.5 4" ] || fail "the share"

expect 0 "$saccade" train two.yaml --out run
grep -q "; mine: .*; theirs: " err || fail "the sets are not in the order of the config"
expect 0 "$saccade" train two.yaml --out once --report-images 0 train.best_metric=CIDEr train.early_stop.metric=CIDEr \
  train.early_stop.patience=3
! grep -q "mine: CIDEr.*mine: CIDEr" err || fail "a score of a set is told twice"
! grep -q "mine + theirs: theirs" err || fail "a note has two names"
grep -q '"mine/CIDEr":' run/metrics.jsonl || fail "validation does not keep the sets apart"
# The scores of each set are the means of all draws of regions, as those of all images are.
expect 0 "$saccade" train two.yaml --out drawn --report-images 0 attention.selection=hard
for draws in 1 3; do
  expect 0 "$saccade" evaluate drawn --split val --regime sample --region-draws $draws --json
  for set in 0 1; do json out /regimes/0/sets/$set/corpus/Bleu_1; done >scores.$draws
done
! cmp -s scores.1 scores.3 || fail "the scores of sets are those of the first draw"
# What several sets lack is told at once, and what is wrong with a type once.
cat >lacks.yaml <<YAML
base: tiny.yaml
name: lacks
data: {type: joined, sets: {mine: {type: karpathy}, theirs: {type: karpathy}}}
YAML
expect 2 "$saccade" train lacks.yaml --out lacks
for key in mine.annotations mine.images theirs.annotations theirs.images; do wants "data.sets.$key" err; done
sed 's/theirs: {type: karpathy}/theirs: {type: foldr}/' lacks.yaml >foldr.yaml
expect 2 "$saccade" train foldr.yaml --out lacks
one_error "data.sets.theirs.type: 'foldr': a set needs a type"
expect 2 "$saccade" train two.yaml --out lacks train.threads=1
one_error "did you mean 'threads' at the top level?"
expect 0 "$saccade" evaluate run --split val --json
[ "$(json out /n_images)" = 6 ] || fail "not all validation images were scored"
[ "$(json out /regimes/0/sets/0/name) $(json out /regimes/0/sets/0/n_images)" = "mine 2" ] || fail "the first set"
[ "$(json out /regimes/0/sets/1/name) $(json out /regimes/0/sets/1/n_images)" = "theirs 4" ] || fail "the second set"
one=$(json out /regimes/0/sets/1/corpus/Bleu_1)
# A set scored by itself is what evaluate says of this set alone.
expect 0 "$saccade" evaluate run --split val --json --data type=coco --data annotations=train.json \
  --data val_annotations=val.json --data images=theirs --data val_images=theirs
[ "$(json out /n_images)" = 4 ] || fail "the set alone has other images"
[ "$(json out /regimes/0/corpus/Bleu_1)" = "$one" ] || fail "the set alone has another score"
expect 0 "$saccade" evaluate run --split val
wants "each data set by itself" out
wants "theirs, 4 images" out
# The captions of each set have the ids of its own files, by which its captions can score them.
expect 0 "$saccade" evaluate run --split val --no-ablations --out results.json
[ ! -e results.json ] || fail "a file of all sets, in which ids mean nothing"
expect 0 "$saccade" score val.json results.theirs.json --json
[ "$(json out /n_images) $(json out /corpus/Bleu_1)" = "4 $one" ] || fail "the results of the set are not its own"
expect 0 "$saccade" score mine/captions.csv results.mine.json --json
[ "$(json out /n_images)" = 2 ] || fail "the results of the folder"
cp val.json results.theirs.json
expect 7 "$saccade" evaluate run --split val --no-ablations --out results.json
cmp val.json results.theirs.json || fail "captions of a set were replaced"
# Limits of the command line are those of each set, also of one that has its own.
expect 0 "$saccade" train two.yaml --out few --overfit 2 data.sets.mine.limit_train=5 --report-images 0
[ "$(grep -c . few/config.yaml)" -gt 0 ] || fail "no config"
! grep -q "limit_train: 5" few/config.yaml || fail "a set kept its own limit"
expect 0 "$saccade" report run --out page.html
wants "images of" page.html

# The same sets at another place are the same data. Another share is said to be one where a run goes on.
mv mine moved
expect 3 "$saccade" evaluate run --split val
wants "data.sets.mine.images" err
wants "--data sets.mine.images=PLACE" err
expect 0 "$saccade" evaluate run --split val --json --data sets.mine.images=moved
[ "$(json out /regimes/0/sets/1/corpus/Bleu_1)" = "$one" ] || fail "the place of a set changed a score"
mv moved mine
expect 0 "$saccade" train two.yaml --out run --resume train.stop=5u
for share in 0.25 1; do
  expect 4 "$saccade" train two.yaml --out run --resume train.stop=6u data.sets.theirs.share=$share
  wants "data.sets.theirs.share was 0.5, is $share" err
  ! grep -q "other content" err || fail "another share is no other content"
done
expect 4 "$saccade" train two.yaml --out run --resume train.stop=6u data.sets.mine.limit_train=3
wants "the data set mine + theirs has other content" err
# Finished runs of two shares are compared like other settings, and runs of one share are one arm.
expect 0 "$saccade" train two.yaml --out whole data.sets.theirs.share=1 train.stop=5u --report-images 0
expect 0 "$saccade" train two.yaml --out seed seed=2 data.sets.theirs.share=1.0 train.stop=5u --report-images 0
expect 0 "$saccade" compare run whole seed --json
wants "whole: data.sets.theirs.share is 1, not 0.5" err
! grep -q "data.sets is" err || fail "more than the share differs"
[ "$(json out '/arms#')" -eq 2 ] || fail "the three runs do not form two arms"
expect 2 "$saccade" compare run whole run
one_error "are the same experiment with the same seed"
# Arms that differ in what they train on are scored on the same images. A mistake of all arms is said once.
cat >arms.yaml <<YAML
base: two.yaml
compare: {arms: {all: {}, few: {data.sets.theirs.limit_train: 4}}}
YAML
expect 0 "$saccade" compare arms.yaml --out study --report-images 0
! grep -q "scored on other images" out err || fail "fewer training images are other images to score"
mkdir empty
expect 2 "$saccade" config check arms.yaml data.sets.theirs.share=2 data.sets.mine.limit_val=-1
[ "$(grep -c "share: '2'" err) $(grep -c "limit_val: '-1'" err) $(grep -c "all: \|few: " err)" = "1 1 0" ] ||
  fail "each mistake of all arms is not said once"
expect 3 "$saccade" config check arms.yaml data.sets.mine.type=coco data.sets.mine.annotations=mine/captions.csv
one_error "error: data.sets.mine: mine/captions.csv" "set data.sets.mine.type=folder, which reads"
expect 2 "$saccade" config check arms.yaml optimizer.schedule=cosine optimizer.warmup=1000 \
  'compare.arms={all: {}, few: {data.sets.theirs.limit_train: 4}, short: {optimizer.warmup: 0}}'
[ "$(grep -c "all, few: optimizer.warmup is 1000" err)" = 1 ] || fail "a mistake of two arms is not said once"
# All photos of one set are missing, which is no matter of single photos; what is too short is said before any is read.
set -- data.sets.mine.images=empty data.sets.mine.annotations=mine/captions.csv
expect 3 "$saccade" data two.yaml "$@" data.on_bad_image=skip
wants "data.sets.mine: none of 8 photos can be used; no file of the first one's name is below empty" err
expect 3 "$saccade" train two.yaml --out other "$@" data.on_bad_image=skip
wants "error: mine: none of 8 images can be read; the first: " err
expect 2 "$saccade" train two.yaml --out other "$@" optimizer.schedule=cosine optimizer.warmup=1000 train.stop=2e
one_error "optimizer.warmup is 1000 updates"
sed 's/"annotations": .*/"annotations": [{"id": 1, "image_id": 1, "caption": "."}]}/' train.json >bare.json
expect 3 "$saccade" data two.yaml data.sets.theirs.annotations=bare.json data.sets.theirs.val_annotations= \
  data.sets.theirs.val_images=
one_error "data.sets.theirs: bare.json: no image with a caption in it"
expect 0 "$saccade" data two.yaml data.sets.theirs.annotations=bare.json
wants "theirs: none of its images is for training" out
! grep -q "an epoch trains on 0" out || fail "an epoch of a set without training images"

# Photos of two files that each count from 1.
mkdir counted
for i in 1 2 3; do cp theirs/9.png counted/$i.png; done
coco 1 3 >counted.json
set -- data.type=coco data.annotations=train.json data.images=theirs data.val_annotations=counted.json
expect 0 "$saccade" train two.yaml --out counting "$@" data.val_images=counted data.sets={} --report-images 0
expect 0 "$saccade" evaluate counting --split val --no-ablations --out counting.json
expect 0 "$saccade" score counted.json counting.json --json
[ "$(json out /n_images)" = 3 ] || fail "the captions of photos that are counted anew are not matched"
expect 0 "$saccade" evaluate counting --split all --no-ablations --json
[ "$(json out /n_images)" = 11 ] || fail "not the photos of both files"
expect 3 "$saccade" data two.yaml "$@" data.val_images=theirs data.sets={}
one_error "counted.json: '1.png' is also in train.json, and both are theirs/1.png"

# Boxes that the user named and that cannot be used are refused, with their key; a place that the maker of a
# checkpoint had is not.
box='{"images": [{"id": 9, "file_name": "9.png", "width": 64, "height": 64}], "annotations": [{"id": 1,
  "image_id": 9, "category_id": 1, "bbox": [1, 1, 9, 9], "iscrowd": 0}], "categories": [{"id": 1, "name": "circle"}]}'
echo "$box" >boxes.json
expect 0 "$saccade" train two.yaml --out boxed data.sets.theirs.boxes=boxes.json --report-images 0
grep -q "correctness" err || fail "the maps are not judged by the boxes"
mv boxes.json away.json
expect 0 "$saccade" evaluate boxed --split val --no-ablations
wants "maps are not judged by boxes (data.sets.theirs.boxes): boxes.json: no such file" err
expect 0 "$saccade" evaluate boxed --split val --no-ablations --data sets.theirs.boxes=away.json
wants "theirs: away.json" out
for boxes in gone.json val.json sheets "sets.mine"; do
  key=data.sets.theirs.boxes
  [ "$boxes" != sets.mine ] || { key=data.sets.mine.boxes boxes=away.json; sed -i 's/9\.png/none.png/' away.json; }
  for command in "config check two.yaml $key=$boxes" "train two.yaml --out other $key=$boxes"     "compare two.yaml --out other $key=$boxes" "evaluate run --split val --data ${key#data.}=$boxes"     "evaluate run --split val --images 2 --set $key=$boxes" "report run --out p.html --data ${key#data.}=$boxes"; do
    expect 3 "$saccade" $command
    one_error "$key: $boxes"
  done
  rm -rf other
done
sed 's/none\.png/7.png/' away.json >seven.json
expect 3 "$saccade" evaluate run --split val --boxes seven.json
one_error "seven.json: has images of several data sets by their names" "--data sets.NAME.boxes=PATH"
cat >one.yaml <<YAML
base: tiny.yaml
data: {type: folder, images: mine}
train: {stop: 4u, validate_every: 2u}
YAML
expect 0 "$saccade" train one.yaml --out single --report-images 0
for boxes in gone.json val.json; do
  expect 3 "$saccade" evaluate single --split val --data boxes=$boxes
  one_error "data.boxes: $boxes"
done
# What names a file of no set is not left without effect.
for given in images=mine annotations=train.json tokens=x boxes=away.json; do
  expect 2 "$saccade" evaluate run --split val --data $given
  one_error "--data ${given%%=*} has no effect" "a set has its own, such as --data sets.mine.${given%%=*}"
  expect 2 "$saccade" config check two.yaml data.$given
  one_error "data.${given%%=*} has no effect" "a set has its own, such as data.sets.mine.${given%%=*}"
done
expect 2 "$saccade" evaluate single --split val --data tokens=x
one_error "--data tokens has no effect"
printf 'base: two.yaml\ndata: {sets: {mine: {images: mine}, theirs: {images: theirs}}}\n' >over.yaml
expect 2 "$saccade" config check over.yaml
wants "data.sets.mine: a set needs a type that is read from files: karpathy, coco, flickr8k or folder; data.sets of a" err
expect 0 "$saccade" compare boxed whole --json
wants "(data.sets.theirs.boxes): boxes.json: no such file" err
# One set with boxes is enough to supervise attention.
expect 0 "$saccade" config check two.yaml objective.supervision.boxes=0.5
[ "$(grep -c "boxes is not given" err)" -eq 1 ] || fail "no line, or more than one, about boxes that are not given"

# A model whose makers left their places out says how to give them.
expect 0 "$saccade" convert run bare.h5 --half --set 'data.sets={mine: {type: folder}, theirs: {type: coco}}'
expect 2 "$saccade" evaluate bare.h5 --split val
one_error "--data sets.mine.images=PLACE --data sets.theirs.annotations=PLACE --data sets.theirs.images=PLACE"

# One data set read twice, as by places that are given for all sets, is no comparison of two.
for command in "data two.yaml" "train two.yaml --out twice"; do
  expect 3 "$saccade" $command 'data.sets={mine: {type: folder, images: mine}, again: {type: folder, images: mine}}'
  one_error "data.sets.again: has the images and captions of data.sets.mine again"
done

# Mistakes: one line for each.
expect 2 "$saccade" config check two.yaml data.sets.theirs.tokens=a.txt
wants "data.sets.theirs.tokens has no effect: type is coco" err
expect 2 "$saccade" config check two.yaml data.sets.theirs.min_count=2
wants "data.sets.theirs.min_count: a set has type, annotations, images" err
expect 2 "$saccade" train two.yaml --out other data.sets.others.images=x
one_error "data.sets has no entry 'others' (did you mean 'theirs'?); it has mine, theirs, and data.sets.others={...} adds one"
expect 2 "$saccade" evaluate run --data sets.their.images=x
one_error "data.sets has no entry 'their' (did you mean 'theirs'?); it has mine, theirs"
expect 2 "$saccade" config check two.yaml data.sets.theirs=5
one_error "data.sets.theirs: expected a map of keys and values, got '5'"
expect 2 "$saccade" config check two.yaml data.sets.theirs.share=0
one_error "command line: data.sets.theirs.share: '0' is out of range"
expect 0 "$saccade" data two.yaml 'data.sets.theirs={type: coco, annotations: val.json, images: theirs}'
wants "(6 of mine, " out
expect 0 "$saccade" data two.yaml 'data.sets.third={type: coco, annotations: val.json, images: theirs}'
wants "of third" out
# No image to validate on: config check says what train says, with the keys.
sed -i 's/,val$/,train/' mine/captions.csv
for command in "config check" "train --out other"; do
  expect 3 "$saccade" $command one.yaml data.split.val=0
  one_error "folder: there is no image in split val, on which training validates; set data.split.val above 0"
  expect 3 "$saccade" $command two.yaml data.split.val=0 data.sets.theirs.val_annotations= data.sets.theirs.val_images=
  one_error "set data.split.val or data.sets.mine.split.val or data.sets.theirs.split.val above 0"
done
printf 'base: one.yaml\ndata: {split.val: 0}\n' >dots.yaml
expect 2 "$saccade" config check dots.yaml
one_error "unknown key 'split.val' in data (in a file it is written split: {val: ...})"
expect 3 "$saccade" train two.yaml --out other data.sets.theirs.annotations=none.json
wants "data.sets.theirs.annotations: none.json is missing" err
[ ! -e other ] || fail "a run that could not start left a folder"
expect 2 "$saccade" train two.yaml --out other data.sets.theirs.val_images=
wants "data.sets.theirs.val_annotations val.json needs data.sets.theirs.val_images" err

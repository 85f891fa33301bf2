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

expect 0 "$saccade" train two.yaml --out run
wants "theirs: " err
grep -q '"mine/CIDEr":' run/metrics.jsonl || fail "validation does not keep the sets apart"
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
expect 0 "$saccade" report run --out page.html
wants "images of" page.html

# The same sets at another place are the same data; what differs in a share is not.
mv mine moved
expect 3 "$saccade" evaluate run --split val
wants "data.sets.mine.images" err
wants "--data sets.mine.images=PLACE" err
expect 0 "$saccade" evaluate run --split val --json --data sets.mine.images=moved
[ "$(json out /regimes/0/sets/1/corpus/Bleu_1)" = "$one" ] || fail "the place of a set changed a score"
mv moved mine
expect 0 "$saccade" train two.yaml --out run --resume train.stop=5u
expect 4 "$saccade" train two.yaml --out run --resume train.stop=6u data.sets.theirs.share=0.25

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
expect 3 "$saccade" train two.yaml --out other data.sets.theirs.annotations=none.json
wants "data.sets.theirs.annotations: none.json is missing" err
[ ! -e other ] || fail "a run that could not start left a folder"
expect 2 "$saccade" train two.yaml --out other data.sets.theirs.val_images=
wants "data.sets.theirs.val_annotations val.json needs data.sets.theirs.val_images" err

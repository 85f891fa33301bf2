# What `saccade features` writes of any encoder is read back to the same captions: by the model itself, and by a
# model of features. What cannot be is refused.
golden=$(cd "$(dirname "${BASH_SOURCE[0]}")/../golden" && pwd)
. "$(dirname "${BASH_SOURCE[0]}")/support.sh"

photos=$golden/features/photos
photo=$photos/COCO_val2014_000000000120.png

# reads_back RUN: the model captions each photo as its own features, to the bit, with its maps.
reads_back() {
  expect 0 "$saccade" features "$1" --photos "$photos" --out "$1-files"
  local one
  for one in "$photos"/*; do
    expect 0 "$saccade" caption "$1" "$one" --json
    mv out wanted.json
    expect 0 "$saccade" caption "$1" "$one" --json --features "$1-files"
    cmp -s out wanted.json || fail "$1: the features of $one have another caption or other maps"
  done
}
short="train.stop=4u train.validate_every=4u"
vit="encoder.type=vit encoder.positions=none encoder.vit.patch=8 encoder.vit.width=12 encoder.vit.heads=2
  encoder.vit.layers=1"
for run in "plain" "pad encoder.resize=pad" "crop encoder.resize=crop" "refined encoder.refine.layers=1 encoder.refine.heads=2" \
  "hard attention.selection=hard encoder.project=4" "tokens $vit" \
  "classed $vit encoder.pooled=class_token decoder.first_state=pooled" "classpad $vit encoder.resize=pad"; do
  set -- $run
  expect 0 "$saccade" train tiny.yaml --out "$1" $short "${@:2}"
  reads_back "$1"
done
[ -e classed-files/pooled/COCO_val2014_000000000120.npy ] || fail "the vector of the photo is missing"
[ ! -e plain-files/pooled ] && [ ! -e plain-files/boxes ] || fail "there are folders without content"
expect 0 "$saccade" overlay pad "$photo" --features pad-files --out sheets --panels 0
ls sheets/*.sheet.png >/dev/null || fail "no sheet was drawn"
expect 0 "$saccade" caption plain,hard "$photo" --features plain-files
expect 3 "$saccade" caption plain,tokens "$photo" --features plain-files
wants "the model takes" err
rm classed-files/pooled/*
expect 3 "$saccade" caption classed "$photo" --features classed-files
wants "the vector of the photo" err

# A data set of scenes, of one split and as JSON.
expect 0 "$saccade" features plain --out scenes --split val --json
[ "$(json out /photos)" -eq 8 ] && [ "$(find scenes -name '*.npy' | wc -l)" -eq 8 ] || fail "not 8 scenes"
expect 7 "$saccade" features plain --out scenes
one_error "--out scenes: there is something of this name already"

# A model that is trained on the features of a network is the model that is trained with the network.
cat >given.yaml <<END
name: given
data: {type: karpathy, annotations: $golden/features/captions.json, images: $photos, min_count: 1, max_length: 8}
encoder: {type: onnx_native, frozen_stages: -1, model: $golden/efficientnet_lite.onnx, image_size: 64,
  layer: head_relu6, positions: coordinates}
attention: {hidden: 8}
decoder: {type: lstm, hidden: 8, embedding: 6, dropout: 0}
search: {max_length: 6}
train: {batch: 2, shard: 1, stop: 4u, validate_every: 4u}
END
expect 0 "$saccade" train given.yaml --out network
reads_back network
expect 0 "$saccade" features given.yaml --out files
expect 0 "$saccade" train given.yaml --out files-model encoder.type=features encoder.frozen_stages=0 \
  encoder.features.path=files encoder.model= encoder.layer= encoder.image_size=64
expect 0 "$saccade" caption network "$photo" --json
sed 's/,"input":[^]]*\]//' out >wanted.json  # the network's own extents, which the files do not tell
expect 0 "$saccade" caption files-model "$photo" --json
cmp -s <(sed 's/,"input":[^]]*\]//' out) wanted.json || fail "a model of a network's features has another caption than one of the network"

# Regions with boxes and a vector of the photo, written anew.
sed 's/^encoder:.*/encoder: {type: features,/; s/^  layer:.*/  positions: coordinates}/' given.yaml >boxes.yaml
expect 0 "$saccade" train boxes.yaml --out boxes encoder.features.path="$golden/features/folders/bu_att" \
  encoder.features.pooled="$golden/features/folders/bu_fc" decoder.first_state=pooled
expect 0 "$saccade" features boxes --out again
[ -e again/boxes/COCO_val2014_000000000120.npy ] || fail "the boxes are missing"
expect 0 "$saccade" caption boxes "$photo" --json
mv out wanted.json
expect 0 "$saccade" caption boxes "$photo" --json --set encoder.features.path=again \
  --set encoder.features.pooled=again/pooled
cmp -s out wanted.json || fail "features that were written anew have another caption"

expect 2 "$saccade" features tiny.yaml --out none
one_error "tiny.yaml: the encoder is trained with the model" "encoder.frozen_stages=-1"
expect 3 "$saccade" features plain --photos missing.jpg --out none2
wants "missing.jpg" err
cp "$photo" COCO_val2014_000000000120.jpg
expect 3 "$saccade" features plain --photos "$photo" --photos COCO_val2014_000000000120.jpg --out none3
one_error "two photos are called COCO_val2014_000000000120"
[ ! -e none3 ] || fail "a folder was made for nothing"

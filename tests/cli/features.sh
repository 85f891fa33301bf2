# Models of features that another program computed: every form trains, captions, draws its maps and is
# judged by boxes; scenes as regions; what is missing or does not fit is named.
golden=$(cd "$(dirname "${BASH_SOURCE[0]}")/../golden/features" && pwd)
. "$(dirname "${BASH_SOURCE[0]}")/support.sh"

cat >given.yaml <<END
name: given
data: {type: karpathy, annotations: $golden/captions.json, images: $golden/photos, boxes: $golden/boxes.json,
  min_count: 1, max_length: 8}
encoder: {type: features}
attention: {hidden: 8}
decoder: {type: lstm, hidden: 8, embedding: 6, dropout: 0}
optimizer: {lr: 1e-2}
search: {max_length: 6}
train: {batch: 2, shard: 1, stop: 4u, validate_every: 4u}
END
photo=$golden/photos/COCO_val2014_000000000120.png

# NAME PATH PLACES OPTIONS...: trains on a form and looks at everything that it makes. PLACES is how the JSON
# of a caption tells where the regions lie.
form() {
  local name=$1 path=$2 places=$3
  shift 3
  expect 0 "$saccade" train given.yaml --out "$name" encoder.features.path="$golden/$path" "$@"
  wants "has features of 2 of 2 photos" err
  expect 0 "$saccade" caption "$name" "$photo" --json
  wants "$places" out
  expect 0 "$saccade" evaluate "$name" --split test --no-ablations
  expect 0 "$saccade" overlay "$name" "$photo" --out "$name-maps"
  ls "$name-maps"/*.sheet.png >/dev/null || fail "no sheet was drawn"
}
for path in tables/bottom-up.tsv tables/objects.tsv tables/vinvl.tsv tables/vinvl.feature.tsv \
  tables/predictions.tsv folders/bu_att folders/all_in_one_file folders/safe files/detections.hdf5 \
  files/aligned.hdf5; do
  form "$(basename "$path" | tr . -)" "$path" '"boxes":[[' encoder.positions=coordinates
done
for path in folders/tokens folders/wide folders/channels_first folders/torch folders/orders folders/stack \
  files/by_name.h5 files/stacked.h5; do
  form "$(basename "$path" | tr . -)" "$path" '"cells":[0,0,' encoder.positions=coordinates
done
form grids files/aligned.hdf5 '"cells":[0,0,3,3]' encoder.features.array=grids
form listed files/stacked.h5 '"boxes":[]' encoder.features.array=reg_feat
for name in grids listed bottom-up-tsv; do
  expect 0 "$saccade" overlay $name "$photo" --out $name-maps --style cells --format svg
done
form hard tables/bottom-up.tsv '"boxes":[[' attention.selection=hard
form pooled folders/bu_att '"boxes":[[' encoder.features.pooled="$golden/folders/bu_fc" \
  decoder.first_state=pooled encoder.project=5 encoder.refine.layers=1 encoder.refine.heads=1
geometry=(encoder.refine.type=geometry encoder.refine.layers=2 encoder.refine.heads=2 encoder.project=6)
form geometry tables/bottom-up.tsv '"boxes":[[' "${geometry[@]}"
expect 0 "$saccade" train given.yaml --out geometry4 encoder.features.path="$golden/tables/bottom-up.tsv" \
  "${geometry[@]}" --threads 4
[ "$(digest geometry)" = "$(digest geometry4)" ] || fail "another number of threads trains another model"
form geometry-grid files/by_name.h5 '"cells":[0,0,' "${geometry[@]}"
expect 3 "$saccade" train given.yaml --out none encoder.features.path="$golden/files/stacked.h5" \
  encoder.features.array=reg_feat "${geometry[@]}"
wants "the features have no boxes, and encoder.refine.type geometry goes by them" err
form token folders/tokens '"cells":[0,0,3,3]' encoder.pooled=class_token decoder.first_state=pooled

# The same words whether features are read at every use, kept in a cache, or given beside the photo; and
# with any number of threads.
expect 0 "$saccade" caption bottom-up-tsv "$photo" --json
mv out whole.json
expect 0 "$saccade" caption bottom-up-tsv "$photo" --json --features "$golden/folders/bu_att"
cmp -s out whole.json || fail "features of another file have another caption"
cp "$golden/folders/all_in_one_file/120.npz" any.npz
expect 0 "$saccade" caption bottom-up-tsv "$photo" --json --features any.npz
cmp -s out whole.json || fail "features of one photo have another caption"
expect 2 "$saccade" caption bottom-up-tsv "$photo" "$photo" --features any.npz
one_error "--features any.npz has the features of one photo, and 2 are named"
expect 0 "$saccade" train given.yaml --out cached encoder.features.path="$golden/tables/bottom-up.tsv" \
  encoder.positions=coordinates encoder.cache=cache --threads 2
cmp -s <("$saccade" caption cached "$photo" --json) whole.json || fail "the cache changes a caption"
ls cache/*.rows >/dev/null || fail "there is no cache"
expect 0 "$saccade" caption bottom-up-tsv "$photo" --page page.html
wants '"boxes":[[' page.html

# Without the files, the checkpoint opens, and says what it lacks.
cp -r "$golden/tables" moved
expect 0 "$saccade" train given.yaml --out moving encoder.features.path=moved/bottom-up.tsv
rm -r moved
expect 3 "$saccade" caption moving "$photo"
wants "give a file with them (--features FILE)" err
expect 0 "$saccade" caption moving "$photo" --features any.npz
expect 0 "$saccade" caption moving "$photo" --set encoder.features.path="$golden/tables/bottom-up.tsv"
head -n 2 "$golden/tables/bottom-up.tsv" >few.tsv
expect 3 "$saccade" caption moving "$photo" --features few.tsv
wants "few.tsv: there are no features of $photo" err

# Missing photos are counted and named, or left out.
cp -r "$golden/photos" more
cp "$photo" more/COCO_val2014_000000000008.png
more='{"filename": "COCO_val2014_000000000008.png", "cocoid": 8, "split": "train", "sentences": [{"raw": "a cat", "tokens": ["a", "cat"]}]}'
sed "s/\"images\": \[/\"images\": [$more, /" "$golden/captions.json" >more.json
another=(data.annotations=more.json data.images=more encoder.features.path=few.tsv)
expect 3 "$saccade" train given.yaml --out none "${another[@]}"
one_error "few.tsv: lacks the features of 1 of 3 photos of coco: COCO_val2014_000000000008.png"
expect 0 "$saccade" train given.yaml --out few "${another[@]}" data.on_bad_image=skip
wants "few.tsv: has features of 2 of 3 photos" err
wants "left out 1 of 3 images" err
for bad in cut.npy object.npy five-fields.tsv stale.tsv; do
  expect 3 "$saccade" train given.yaml --out none encoder.features.path="$golden/bad/$bad"
  one_error "$golden/bad/${bad%.*}"
  [ ! -e none ] || fail "a run was begun with $bad"
done
# The HDF5 library crashes on some damaged files, and with it only the process that reads for saccade.
crash=$golden/../../campaign/cases/hdf5/crash-of-the-library.h5
expect 3 "$saccade" train given.yaml --out none encoder.features.path="$crash"
wants "crash-of-the-library.h5: array '31': " err
mkdir -p far/away/bare/libexec/saccade
cp "$saccade" far/away/bare/ && cp "$(dirname "$saccade")/libexec/saccade/saccade" far/away/bare/libexec/saccade/
expect 5 far/away/bare/saccade train given.yaml --out none encoder.features.path="$golden/files/stacked.h5"
one_error libexec/saccade/hdf5-reader "install saccade again"
expect 2 "$saccade" train given.yaml --out none encoder.features.path=few.tsv attention.scope=local_m
wants "error: attention.scope local_m" err
expect 2 "$saccade" train given.yaml --out none encoder.features.path=few.tsv encoder.positions=learned
one_error "encoder.positions learned"

# No photo at all: boxes of known sizes lie on an empty picture, the others are lists; a grid needs no size.
mkdir nowhere
alone=$golden/tables/bottom-up.tsv
sed "s|images: $golden/photos|images: nowhere|" given.yaml >unseen.yaml
sed "s|images: $golden/photos, ||" given.yaml >bare.yaml
# unseen CONFIG NAME PATH OPTIONS...: every command on a model of features alone.
unseen() {
  local config=$1 name=$2 path=$3
  shift 3
  expect 0 "$saccade" config check "$config" encoder.features.path="$golden/$path" "$@"
  expect 0 "$saccade" train "$config" --out "$name" encoder.features.path="$golden/$path" "$@"
  wants "coco: 2 photos are not there, only the features; maps are drawn without them" err
  expect 0 "$saccade" evaluate "$name" --split test
  wants "pointing" out
  expect 0 "$saccade" overlay "$name" --split test --out "$name-maps"
  ls "$name-maps"/*.sheet.png >/dev/null || fail "no sheet was drawn"
  expect 0 "$saccade" caption "$name" --features "$golden/$path" --json
  [ "$(json out '#')" -eq 3 ] || fail "not 3 captions"
  expect 0 "$saccade" overlay "$name" --features "$golden/$path" --out "$name-maps" --style cells --format svg
  expect 0 "$saccade" report "$name" --split val --images 1 --out "$name.html"
  expect 0 "$saccade" inspect "$name" --occlusion regions --images 1
}
unseen unseen.yaml unseen-boxes tables/bottom-up.tsv encoder.positions=coordinates
unseen bare.yaml unseen-list folders/bu_att
wants "1 photo has boxes in pixels of a picture of unknown size (encoder.features.size)" err
unseen bare.yaml unseen-grid files/by_name.h5
expect 0 "$saccade" train bare.yaml --out bare encoder.features.path="$alone" encoder.positions=coordinates
[ "$(digest bare)" = "$(digest unseen-boxes)" ] || fail "an empty folder of photos changes a model"
# The folder may be left out, and not be wrong; other encoders need it.
expect 3 "$saccade" train bare.yaml --out none encoder.features.path="$alone" data.images=elsewhere
one_error "data.images: elsewhere is missing"
expect 2 "$saccade" train bare.yaml --out none encoder.type=cnn
wants "data.images" err
expect 2 "$saccade" train bare.yaml --out none encoder.features.path="$alone" data.type=folder data.annotations=
one_error "data.type folder without data.images needs data.annotations"
expect 0 "$saccade" data bare.yaml encoder.features.path="$alone"
printf '1,2\n' >table.csv
expect 3 "$saccade" caption unseen-list --features table.csv
one_error "table.csv: it is cut, or has no arrays; arrays are read from .npy"

# Scenes as regions.
expect 0 "$saccade" data tiny.yaml --regions regions.tsv
expect 7 "$saccade" data tiny.yaml --regions regions.tsv
one_error "regions.tsv: exists; choose another name, or remove it"
sed 's/^encoder:.*/encoder: {type: features, features: {path: regions.tsv}, positions: coordinates}/' \
  tiny.yaml >regions.yaml
expect 0 "$saccade" train regions.yaml --out regions
expect 0 "$saccade" evaluate regions --split val --no-ablations
wants "pointing" out
expect 0 "$saccade" overlay regions --split val --count 2 --out scenes
expect 2 "$saccade" data given.yaml --regions none.tsv
one_error "--regions writes the objects of drawn scenes"

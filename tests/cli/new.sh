# A person's own photos, without knowledge of YAML: `saccade new` writes a config that can be trained, for
# each form of captions and for awkward names. `saccade data` says what is wrong with the photos.
. "$(dirname "${BASH_SOURCE[0]}")/support.sh"

expect 0 "$saccade" data tiny.yaml --out pictures
folder="meine fotos"
mkdir "$folder"
captions="$folder/texte, alle.csv"
echo image,caption >"$captions"
: >tokens.txt
images= annotations= entries=
i=0
for name in "Foto 1.PNG" "Kätzchen #2.png" "it's 3.png" "100 %.Png" $(seq -f "IMG_%04.0f.JPG" 20); do
  cp pictures/train.png "$folder/$name"
  echo "./$name,a red square and a dog number $i" >>"$captions"
  echo "$name,\"A blue circle, and a cat\"" >>"$captions"
  printf '%s#0\ta red square and a dog number %d\n' "$name" $i >>tokens.txt
  split=train
  [ $i -ge 20 ] && split=test
  images+=", {\"id\": $i, \"file_name\": \"$name\"}"
  annotations+=", {\"image_id\": $i, \"caption\": \"a red square and a dog number $i\"}"
  entries+=", {\"filename\": \"$name\", \"imgid\": $i, \"split\": \"$split\",
    \"sentences\": [{\"raw\": \"a red square and a dog number $i\"}]}"
  i=$((i + 1))
done
echo "{\"images\": [${images#, }], \"annotations\": [${annotations#, }]}" >coco.json
echo "{\"dataset\": \"mine\", \"images\": [${entries#, }]}" >karpathy.json

expect 0 "$saccade" new mine --photos "$folder" --captions "$captions"
for text in "a folder of photos with captions in CSV: 24 photos" "photos: 24 of 24" \
  "the files have no val split" "data.min_count: 1  (" "decoder.hidden: 128  (" \
  "saccade train mine.yaml --out runs/mine"; do
  wants "$text" out
done
wants "# " mine.yaml
wants "name: mine" mine.yaml
wants 'images: "meine fotos"' mine.yaml
expect 0 "$saccade" config check mine.yaml
# A file that exists is not replaced.
cp mine.yaml before.yaml
expect 7 "$saccade" new mine --photos "$folder" --captions coco.json
one_error "mine.yaml: exists" "--out"
cmp -s mine.yaml before.yaml || fail "the config that existed was changed"

# Folder and file of the captions may be taken for each other.
expect 3 "$saccade" new other --photos coco.json --captions "$folder"
one_error "--photos coco.json is a file" "swapped"
expect 3 "$saccade" new other --photos coco.json --captions coco.json
one_error "--photos coco.json: is a file; name the folder"
expect 3 "$saccade" new other --photos nowhere --captions coco.json
one_error "--photos nowhere: there is no such folder"

# The config can be trained. Captions of the run and the CSV file meet by names: both scores are equal.
short="train.stop=2u train.validate_every=2u encoder.image_size=32 optimizer.warmup=0"
expect 0 "$saccade" train mine.yaml --out runs/mine $short --report-images 0
wants "chosen by a hash of their names" err
expect 0 "$saccade" evaluate runs/mine --out results.json --json
cp out evaluated.json
wants '"image": ' results.json
expect 0 "$saccade" score "$captions" results.json --json
for metric in Bleu_1 ROUGE_L CIDEr; do
  [ "$(json out /corpus/$metric)" = "$(json evaluated.json /regimes/0/corpus/$metric)" ] ||
    fail "score and evaluate give different $metric"
done
cp "$captions" captions.txt # the content tells the form, not the name
expect 0 "$saccade" score captions.txt results.json --json
[ "$(json out /corpus/Bleu_1)" = "$(json evaluated.json /regimes/0/corpus/Bleu_1)" ] ||
  fail "score reads the CSV as another form if it is called .txt"
expect 3 "$saccade" score results.json "$captions"
one_error "wrong order"

# The other forms. Each gets a val split, and a test split that exists stays.
for form in coco karpathy; do
  expect 0 "$saccade" new $form --photos "$folder" --captions $form.json --out "$form.config.yaml" --json
  [ "$(json out /file)" = $form.config.yaml ] || fail "the JSON does not name the file"
  [ "$(json out /splits/val)" -ge 2 ] || fail "$form: there are fewer than two val photos"
  [ "$(json out /made_splits/0)" = val ] || fail "$form: the JSON does not say that val was made"
  json out /choices/0/key >/dev/null
  expect 0 "$saccade" config check $form.config.yaml
  expect 0 "$saccade" train $form.config.yaml --out runs/$form $short --report-images 0
  expect 0 "$saccade" evaluate runs/$form --json
  wanted=val
  [ $form = karpathy ] && wanted=test
  [ "$(json out /split)" = $wanted ] || fail "$form: not $wanted was evaluated"
done
expect 0 "$saccade" new tokens --photos "$folder" --captions tokens.txt
wants "Flickr8k's token file: 24 photos" out
wants "can teach a model little more than themselves" out
expect 0 "$saccade" config check tokens.yaml
expect 0 "$saccade" data tokens.yaml
wants "note: the files have no val split" out
# Names alone decide, so every form has the same val photos.
expect 0 "$saccade" data coco.config.yaml --json
val=$(json out /splits/1/images)
expect 0 "$saccade" data tokens.yaml --json
[ "$(json out /splits/1/images)" = "$val" ] || fail "the split depends on the form of the file"

# A network as a model hub has it, frozen, and then its last block.
published=$(dirname "${BASH_SOURCE[0]}")/../golden/published
cp -r "$published/hub/hf-clip" hf-clip
expect 0 "$saccade" new untold --photos "$folder" --captions coco.json --encoder hf-clip
wants "No file beside the weights says" untold.yaml
cp "$published/preprocess/clip/preprocessor_config.json" hf-clip
expect 0 "$saccade" new clip --photos "$folder" --captions coco.json --encoder hf-clip
for text in "type: hub" "frozen_stages: -1" "resize: center" "pixels: clip" "preprocessor_config.json"; do
  wants "$text" clip.yaml
done
tiny="train.stop=2u train.validate_every=2u optimizer.warmup=0 --report-images 0"
expect 0 "$saccade" train clip.yaml --out runs/clip $tiny
expect 0 "$saccade" train clip.yaml --out runs/tuned $tiny train.init_from=runs/clip encoder.frozen_stages=2 encoder.lr=1e-5
expect 3 "$saccade" new x --photos "$folder" --captions coco.json --encoder "$published/hub/torchvision-vit"
one_error "encoder.heads"

# What cannot be used is refused, and nothing is written.
printf 'datei;text\na.jpg;ein Hund\n' >semicolons.csv
expect 3 "$saccade" new x --photos "$folder" --captions semicolons.csv
one_error "semicolons.csv: is no captions file" "image,caption"
expect 3 "$saccade" new x --photos "$folder" --captions coco.json --encoder no.onnx
one_error "no.onnx"
expect 3 "$saccade" new x --photos pictures --captions coco.json
one_error "none of the 24 photos"
expect 2 "$saccade" new .. --photos "$folder" --captions coco.json
one_error "no name for an experiment"
expect 2 "$saccade" new x --photos "$folder"
one_error "--captions is required"
[ ! -e x.yaml ] || fail "a config was written although the data cannot be used"

# Photos that are missing, damaged or elsewhere.
mkdir "$folder/Bilder"
mv "$folder/IMG_0001.JPG" "$folder/Bilder"
head -c 400 "$folder/IMG_0002.JPG" >cut && mv cut "$folder/IMG_0002.JPG"
mv "$folder/IMG_0003.JPG" "$folder/img_0003.jpg"
expect 0 "$saccade" data mine.yaml
wants "photos: 21 of 24" out
wants "2 photos are missing: IMG_0001.JPG, IMG_0003.JPG; there is a meine fotos/Bilder/IMG_0001.JPG" out
wants "1 photo cannot be read: IMG_0002.JPG" out
wants "data.on_bad_image=skip leaves them out" out
expect 0 "$saccade" data mine.yaml --decode --json
[ "$(json out /photos/usable)" -eq 21 ] || fail "the JSON does not count the photos that can be used"
[ "$(json out /photos/missing/1)" = IMG_0003.JPG ] || fail "the JSON does not list the missing photos"
expect 0 "$saccade" data mine.yaml --no-photos
! grep -q "photos:" out || fail "--no-photos looked at the photos"
expect 3 "$saccade" train mine.yaml --out runs/strict $short
wants "data.on_bad_image=skip leaves such images out" err
expect 0 "$saccade" new patched --photos "$folder" --captions "$captions"
wants "24 photos, " out
wants "data.on_bad_image: skip  (3 photos are missing or cannot be read" out
expect 0 "$saccade" train patched.yaml --out runs/patched $short --report-images 0
wants "images, because they cannot be read: IMG_000" err
expect 3 "$saccade" data mine.yaml data.images=pictures
wants "none of 24 photos can be used" err
wants "; set data.images" err
echo '[{"image": "IMG_0004", "caption": "a dog"}]' >endless.json
for command in "data tiny.yaml data.type=folder data.annotations=endless.json data.images=" "new x --captions endless.json --photos "; do
  expect 3 "$saccade" ${command}"$folder"
  one_error "has IMG_0004.JPG; write the names in the captions with their endings"
done
echo '[{"image": "IMG_0004.JPG", "caption": "a dog"}, {"image": "IMG_0005.JPG", "caption": "!!!"}]' >wordless.json
expect 3 "$saccade" new x --photos "$folder" --captions wordless.json
one_error "give more photos" "dropped 1 caption without a word: of IMG_0005.JPG"
expect 3 "$saccade" data tiny.yaml data.type=karpathy data.annotations=dataset_flickr8k.json \
  data.images=Flickr8k_Dataset
wants "data.annotations: dataset_flickr8k.json is missing; configs/README.md of saccade's sources says where to get it" err
wants "data.images: Flickr8k_Dataset is missing" err

# A folder of pictures can be captioned; those of other kinds are named.
mkdir inbox
cp pictures/train.png inbox/b.PNG
cp pictures/val.png inbox/a.png
: >inbox/c.HEIC
echo text >inbox/notes.txt
expect 0 "$saccade" caption runs/mine inbox
[ "$(cut -d: -f1 out | tr '\n' ' ')" = "inbox/a.png inbox/b.PNG " ] ||
  fail "not exactly the pictures of the folder were captioned, in the order of their names"
wants "1 picture is of a kind that is not read: c.HEIC" err
expect 2 "$saccade" caption runs/mine runs
one_error "runs: the folder has no picture"

# The values that are chosen for few photos give a model that tells photos apart. Pictures and captions are
# made up: captions of real photos have little in common, too, and a training that is too short, or that
# the scores of a few val photos end, has one caption for all of them.
# draw N: a number below N, the next one of a fixed sequence.
state=7
draw() { state=$(((state * 1103515245 + 12345) % 2147483648)); drawn=$((state / 65536 % $1)); }
paint() { # FILE: a picture of twelve stripes in colours that are drawn
  local rows= colour
  for _ in {1..12}; do
    colour=
    for _ in 1 2 3; do draw 256; colour+=$(printf '\\x%02x' $drawn); done
    for _ in {1..16}; do rows+=$colour; done
  done
  printf "BM\x76\x02\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0\x10\0\0\0\x0c\0\0\0\x01\0\x18\0\0\0\0\0\x40\x02\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0$rows" >"$1"
}
mkdir learned
who=(man woman boy girl dog child player group)
does=(runs jumps sits stands plays swims climbs rides walks waits)
where=(grass beach street snow water bench rock field wall bike)
wears=(red blue green yellow white black pink brown)
echo image,caption >learned/captions.csv
for i in {0..49}; do
  paint learned/$i.bmp
  draw 8; a=${who[drawn]}; draw 10; b=${does[drawn]}; draw 10; c=${where[drawn]}
  for _ in 1 2 3 4; do
    draw 8; d=${wears[drawn]}; draw 10; e=${where[drawn]}
    draw 4
    case $drawn in
      0) echo "$i.bmp,a $a in a $d shirt $b on the $c" ;;
      1) echo "$i.bmp,the $d $a $b near a $e" ;;
      2) echo "$i.bmp,a $a with a $d hat $b by the $c" ;;
      3) echo "$i.bmp,a $d and white $a is on a $e" ;;
    esac >>learned/captions.csv
  done
done
expect 0 "$saccade" new learned --photos learned --captions learned/captions.csv
expect 0 "$saccade" train learned.yaml --out runs/learned encoder.image_size=32 train.watch_maps=false --report-images 0
! grep -q "stopped early" err || fail "few val photos ended the training"
wants "METEOR" err
expect 0 "$saccade" evaluate runs/learned --split val --no-ablations --json
awk -v share="$(json out /regimes/0/corpus/unique_captions)" 'BEGIN { exit !(share >= 0.4) }' ||
  fail "most of the val photos have the same caption"
awk -v words="$(json out /regimes/0/corpus/vocabulary_used)" 'BEGIN { exit !(words >= 12) }' ||
  fail "the captions of all val photos have a few words"
exit 0

# Captions and word vectors in the forms that people bring: `saccade new`, `data` and `evaluate` read them, show
# what was left out, or say what to do.
. "$(dirname "${BASH_SOURCE[0]}")/support.sh"

expect 0 "$saccade" data tiny.yaml --out pictures
mkdir photos
for i in $(seq 24); do cp pictures/train.png photos/$i.png; done
lines() { for i in $(seq 24); do printf "$1" "$i" "$i"; done; }
{ echo 'file_name,text' && lines '%s.png,a red field %s\n'; } >metadata.csv
{ echo 'image;caption' && lines '%s.png;a red field %s\n'; } >semicolons.csv
{ echo 'image_name| comment_number| comment' && lines '%s.png| 0| a red field %s\n'; } >bars.csv
{ printf 'image\tsentence\n' && lines '%s.png\ta red field %s\n'; } >tabs.tsv
lines '{"file_name": "%s.png", "text": "a red field %s"}\n' >metadata.jsonl
echo "[$(lines ', {"image": "%s.png", "caption": "a red field %s", "image_id": 7}' | cut -c 2-)]" >blip.json
echo "{$(lines ', "%s.png": ["a red field %s"]' | cut -c 2-)}" >names.json
digest=
for form in metadata.csv semicolons.csv bars.csv tabs.tsv metadata.jsonl; do
  expect 0 "$saccade" new form --photos photos --captions $form --out $form.yaml
  wants "a folder of photos with captions in" out
  expect 0 "$saccade" data $form.yaml --json
  [ "$(json out /splits/0/images)" -gt 15 ] || fail "$form: photos are missing"
  digest=${digest:-$(json out /digest)}
  [ "$(json out /digest)" = "$digest" ] || fail "$form gives other data"
done
# Objects in another order, or with names as keys, which are sorted, have the same images.
for form in blip.json names.json; do
  expect 0 "$saccade" new form --photos photos --captions $form --out $form.yaml --json
  [ "$(json out /photos/usable)" -eq 24 ] || fail "$form: photos are missing"
done
cp metadata.jsonl photos
printf 'name: none\ndata: {type: folder, images: photos, min_count: 1}\n' >beside.yaml
expect 0 "$saccade" data beside.yaml # the list beside the photos is found
echo '[{"image_id": 7, "caption": "a red field"}]' >ids.json
expect 3 "$saccade" new x --photos photos --captions ids.json
one_error "says which image by an id, '7', and not by its file"
printf 'image,text,title\n1.png,a,b\n' >two.csv
expect 3 "$saccade" new x --photos photos --captions two.csv
one_error "two.csv:1: 'text' and 'title' could both hold the caption"

# What can be shown is shown, also where nothing can be trained.
printf 'image,caption\n1.png,a red field\n2.png,one green meadow\n' >rare.csv
printf 'name: rare\ndata: {type: folder, images: photos, annotations: rare.csv, split: {val: 0}}\n' >rare.yaml
expect 3 "$saccade" data rare.yaml
for text in "train: 2 images, 2 captions" "at least 1 time: 6, 2 times: 0, 3 times: 0" "1.png: a red field"; do
  wants "$text" out
done
one_error "none of 6 words occurs 5 times; lower data.min_count"
expect 3 "$saccade" data rare.yaml --json
[ "$(json out /words_left/0)" -eq 6 ] || fail "the words that would be left are not in the JSON"
printf '1.png#en#0\ta red field\n2.png#en#0\ta red field\n' >two_languages.txt
expect 3 "$saccade" data rare.yaml data.type=flickr8k data.annotations= data.tokens=two_languages.txt
wants "there: data.tokens = two_languages.txt" out
one_error "no image with a caption" "line 1: '1.png#en', line 2: '2.png#en'"

expect 3 "$saccade" config check metadata.csv.yaml data.min_count=5000
one_error "5000 times"
cp err checked.err
expect 3 "$saccade" train metadata.csv.yaml --out wordless data.min_count=5000
[ "$(grep ^error err)" = "$(grep ^error checked.err)" ] || fail "config check and train say different things of too few words"

# A model is evaluated on all images of a foreign file without splits, and on what it was not trained on of its own.
expect 0 "$saccade" train metadata.csv.yaml --out run train.stop=2u train.validate_every=2u encoder.image_size=32 \
  optimizer.warmup=0 --report-images 0
expect 0 "$saccade" evaluate run --no-ablations --json
[ "$(json out /split)" = val ] || fail "not the val split of the run's own data"
for i in $(seq 3 12); do
  entries+=", {\"id\": $i, \"file_name\": \"$i.png\"}"
  annotations+=", {\"image_id\": $i, \"caption\": \"a field\"}"
done
echo "{\"images\": [${entries#, }], \"annotations\": [${annotations#, }]}" >coco.json
set -- --data type=coco --data annotations=coco.json --data images=photos --no-ablations
expect 0 "$saccade" evaluate run "$@" --json
[ "$(json out /split) $(json out /n_images)" = "all 10" ] || fail "not all images of foreign data"
wants "all 10 images are evaluated" err
cp out all.json
expect 0 "$saccade" evaluate run "$@" --split all --json
cmp -s out all.json || fail "--split all is not the default of foreign data"
expect 0 "$saccade" evaluate run "$@" --data val_annotations=coco.json --data val_images=photos --json
[ "$(json out /n_images)" -eq 10 ] || fail "one file for both is not read once"
expect 0 "$saccade" evaluate run "$@" --split val
wants "coco, val: 2 images" out
expect 0 "$saccade" evaluate run --split all --no-ablations
wants "folder, all: 24 images" out
! grep -q "no val split" err || fail "--split all tells of splits that are not looked at"
expect 2 "$saccade" evaluate run --data images=photos annotations=coco.json
one_error "unexpected argument 'annotations=coco.json'; write --data before each KEY=VALUE"
expect 2 "$saccade" evaluate run "$@" --data val_annotations=coco.json
one_error "--data val_images=PLACE"
expect 2 "$saccade" evaluate run --split all --baselines
one_error "--split all leaves none"

# Word vectors that are of no use, or compressed.
printf 'A 1 2\nRED 3 4\nFIELD 5 6\n' >upper.txt
gzip -c upper.txt >vectors.txt.gz
set -- train.stop=2u train.validate_every=2u encoder.image_size=32 optimizer.warmup=0 --report-images 0 \
  decoder.embedding=2 decoder.embeddings.source=file
expect 0 "$saccade" train metadata.csv.yaml --out upper "$@" decoder.embeddings.file=upper.txt
wants "warning: embedding: 0 of " err
wants "3 more would have one if the file's words were in lower case" err
expect 3 "$saccade" train metadata.csv.yaml --out none "$@" decoder.embeddings.file=vectors.txt.gz
wants "error: vectors.txt.gz: it is compressed (gzip); unpack it with gunzip" err

# A caption that holds something else makes no checkpoint of a gigabyte.
{ cat metadata.csv && echo "1.png,$(head -c 1000000 /dev/zero | tr '\0' x)"; } >endless.csv
expect 0 "$saccade" data metadata.csv.yaml data.annotations=endless.csv
wants "note: dropped captions with a word of more than" out

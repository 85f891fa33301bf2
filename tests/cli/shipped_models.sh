# The models that come with the project: their cards are right, and they caption photos without any other file.
models=shipped
project=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
. "$project/tests/cli/support.sh"

expect 0 "$saccade" list models
! grep -qE "^ +(problem|note|hides):" out || fail "a model has no card, or the card of another file"
for model in soft hard; do wants "$model: " out; done
bytes=$(cat "$project"/captioning/pretrained/*.h5 | wc -c)
[ "$bytes" -le 40000000 ] || fail "the models are too large: $bytes bytes"

# No path of the machine where they were trained is in them.
for model in soft hard; do
  expect 0 "$saccade" inspect $model
  ! grep -E ": /" out || fail "$model holds a path"
done

# What they say of four photos, once more when the photos are named one by one, and on a page.
for model in soft hard; do
  expect 0 "$saccade" caption $model "$project"/experiments/photos
  [ ! -s err ] || fail "a message about a photo"
  [ "$(wc -l <out)" -eq 4 ] || fail "not every photo has a caption"
  for told in "cat: cat" "dogs: dogs|dog.*dog" "owl: owl|bird" "parrot: parrot|bird"; do
    grep "${told%%:*}.jpg: " out | grep -qE "${told#*: }" || fail "$model does not tell ${told%%:*}.jpg"
  done
  cp out all.txt
  expect 0 "$saccade" caption $model "$project"/experiments/photos/*.jpg --page $model.html
  cmp -s out all.txt || fail "the page has other captions"
  [ -s $model.html ] || fail "there is no page"
done

# What the network's classifier sees is named, also by a word that captions seldom have; not where it is not asked
# for, nor with features in place of pictures, which have the same caption then.
for model in soft hard; do
  parrot=$project/experiments/photos/parrot.jpg
  expect 0 "$saccade" caption $model "$parrot"
  grep -qw parrot out || fail "$model does not name the parrot"
  expect 0 "$saccade" caption $model "$parrot" --json --set search.name_objects=0
  [[ " $(json out /0/caption) " = *" bird "* ]] || fail "$model names what it was not asked for"
  mv out wanted.json
  expect 0 "$saccade" features $model --photos "$parrot" --out $model-features
  expect 0 "$saccade" caption $model "$parrot" --json --features $model-features
  cmp -s out wanted.json || fail "the features of $model have another caption"
done
expect 0 "$saccade" caption soft "$project"/experiments/photos/owl.jpg --mode greedy
expect 2 "$saccade" caption soft "$project"/experiments/photos/owl.jpg --mode greedy --name-objects
one_error "search.name_objects needs search.mode beam"

# Sheets and pages call a model as the command line does, and not as the run was called that trained it.
expect 0 "$saccade" overlay soft "$project"/experiments/photos/dogs.jpg --with hard --out named --format svg
for model in soft hard; do
  grep -q ">$model ($model, " named/dogs.sheet.svg || fail "the sheet does not call the model $model"
  wants "\"name\":\"$model\"" $model.html
done
! grep -q "pretrained-" named/dogs.sheet.svg soft.html hard.html || fail "a sheet or a page has the name of the run"

# The map of "dog" lies on a dog: its largest weight is where the head of the left one is.
expect 2 "$saccade" caption soft hard "$project"/experiments/photos/dogs.jpg
one_error "hard is a model and not a picture"
expect 0 "$saccade" caption soft "$project"/experiments/photos/dogs.jpg --json
word=0
until [ "$(json out /0/words/$word/text)" = dog ]; do
  word=$((word + 1))
  [ $word -lt 20 ] || fail "no word is dog"
done
weight=$(json out /0/words/$word/attention/3/3)
awk -v w="$weight" 'BEGIN { exit !(w > 0.2) }' || fail "the map of dog has $weight on the dog"

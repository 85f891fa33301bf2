#!/usr/bin/env bash
# What a data set of COCO's size costs, against one of Flickr8k's:
#   bash experiments/benchmarks/coco_size.sh FOLDER [PHOTOS...]      (113287 and 6000)
# Writes captions in Karpathy's form (five for each photo, of 9,996 words, each of which has its place in a caption) and features of 7 x 7 regions of 64 numbers
# for so many training photos and 5,000 validation photos to FOLDER, trains 100 updates, captions and scores the 5,000, and
# prints the seconds until the first update, the time of an update, the seconds of the evaluation, and the most memory of
# training. Then it scores captions of 40,504 photos with five references each. The largest set takes 750 MB of disk.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
saccade=$root/build/release/saccade
folder=${1:?usage: coco_size.sh FOLDER [PHOTOS...]}
sizes=("${@:2}")
[ ${#sizes[@]} -gt 0 ] || sizes=(6000 113287)
val=5000 cells=49 width=64
mkdir -p "$folder"
cd "$folder"

# captions TRAIN VAL: a Karpathy JSON. The words of a place have the frequencies of a language (Zipf's).
captions() {
  awk -v train="$1" -v val="$2" 'BEGIN {
    srand(1); vocabulary = 9996
    printf "{\"dataset\": \"coco\", \"images\": ["
    for (i = 0; i < train + val; ++i) {
      printf "%s{\"imgid\": %d, \"cocoid\": %d, \"filename\": \"%d.jpg\", \"split\": \"%s\", \"sentences\": [", \
        i ? ",\n" : "", i, i, i, i < train ? "train" : "val"
      for (c = 0; c < 5; ++c) {
        words = tokens = ""
        n = 8 + int(5 * rand())
        for (w = 0; w < n; ++w) {
          word = "w" w * vocabulary / 12 + int(exp(log(vocabulary / 12) * rand()) - 1)
          words = words (w ? " " : "") word
          tokens = tokens (w ? ", " : "") "\"" word "\""
        }
        printf "%s{\"raw\": \"%s\", \"tokens\": [%s]}", c ? ", " : "", words, tokens
      }
      printf "]}"
    }
    print "]}"
  }'
}
# features PHOTOS: an array [PHOTOS, regions, width] of 16-bit floats between 1 and 2, and the list of its photos.
features() {
  local head="{'descr': '<f2', 'fortran_order': False, 'shape': ($1, $cells, $width), }"
  local total=$(((10 + ${#head} + 1 + 63) / 64 * 64))
  printf '\x93NUMPY\x01\x00'
  printf "\\x$(printf %02x $(((total - 10) % 256)))\\x$(printf %02x $(((total - 10) / 256)))"
  printf "%-$((total - 11))s\n" "$head"
  # Each number has the bits 001111xx xxxxxxxx: the letters < to ? come second.
  head -c $(($1 * cells * width * 2)) < <(yes "$(printf 'a<b=c>d?e<f>g=h?i=j<k?l>')" | tr -d '\n')
}
for photos in "${sizes[@]}"; do
  [ -e "set-$photos/captions.json" ] && continue
  mkdir -p "set-$photos/features" "set-$photos/photos"
  features $((photos + val)) >"set-$photos/features/features.npy"
  awk -v n=$((photos + val)) 'BEGIN { printf "["; for (i = 0; i < n; ++i) printf "%s\"%d\"", i ? ", " : "", i; print "]" }' \
    >"set-$photos/features/ids.json"
  for ((i = photos; i < photos + val; ++i)); do ln -sf "$root/experiments/photos/cat.jpg" "set-$photos/photos/$i.jpg"; done
  captions "$photos" $val >"set-$photos/captions.json"
done

measured() { sed -n "s/.*\"event\":\"$2\".*\"$3\":\([0-9.]*\).*/\1/p" "$1"; }
printf '%-10s %15s %15s %15s %12s\n' photos "first update s" "ms per update" "evaluation s" "memory MiB"
for photos in "${sizes[@]}"; do
  run=run-$photos
  rm -rf "$run"
  options=(data.type=karpathy data.annotations="set-$photos/captions.json" data.images="set-$photos/photos" data.min_count=5
    encoder.type=features encoder.features.path="set-$photos/features" encoder.features.layout=grid
    attention.hidden=256 decoder.hidden=256 decoder.embedding=256 train.batch=64 train.stop=100u optimizer.warmup=10
    train.validate_every=100u train.validate_images=64 optimizer.lr=3e-3 name=coco_size)
  printf 'name: coco_size\n' >config.yaml
  start=$(date +%s.%N)
  "$saccade" train config.yaml --out "$run" --threads "${THREADS:-2}" --report-images 0 "${options[@]}" >"$run.log" 2>&1 &
  pid=$!
  first=
  while kill -0 $pid 2>/dev/null; do
    if [ -z "$first" ] && grep -q '"event":"update"' "$run/metrics.jsonl" 2>/dev/null; then first=$(date +%s.%N); fi
    sleep 0.05
  done
  wait $pid || { tail -n 3 "$run.log" >&2; exit 1; }
  updates=$(measured "$run/metrics.jsonl" update ms_per_update | sort -n)
  start_evaluation=$(date +%s.%N)
  "$saccade" evaluate "$run" --split val --out "$run/said.json" --threads "${THREADS:-2}" >/dev/null 2>"$run.log" ||
    { tail -n 3 "$run.log" >&2; exit 1; }
  evaluated=$(awk "BEGIN { print $(date +%s.%N) - $start_evaluation }")
  printf '%-10s %15.1f %15.1f %15.1f %12.0f\n' "$photos" "$(awk "BEGIN { print $first - $start }")" \
    "$(awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }' <<<"$updates")" \
    "$evaluated" \
    "$(measured "$run/metrics.jsonl" update peak_memory_bytes | sort -n | tail -n 1 | awk '{ print $1 / 1048576 }')"
done

awk 'BEGIN {
  srand(2); printf "{\"images\": ["
  for (i = 0; i < 40504; ++i) printf "%s{\"id\": %d}", i ? "," : "", i
  printf "], \"annotations\": ["
  for (i = 0; i < 40504; ++i) for (c = 0; c < 5; ++c) {
    printf "%s{\"id\": %d, \"image_id\": %d, \"caption\": \"", i + c ? ",\n" : "", 5 * i + c, i
    for (w = 0; w < 10; ++w) printf "%sw%d", w ? " " : "", int(exp(log(9996) * rand()) - 1)
    printf "\"}"
  }
  print "]}" }' >references.json
awk 'BEGIN {
  srand(3); printf "["
  for (i = 0; i < 40504; ++i) {
    printf "%s{\"image_id\": %d, \"caption\": \"", i ? ",\n" : "", i
    for (w = 0; w < 9; ++w) printf "%sw%d", w ? " " : "", int(exp(log(9996) * rand()) - 1)
    printf "\"}"
  }
  print "]" }' >results.json
start=$(date +%s.%N)
SACCADE_PARAPHRASES=none "$saccade" score references.json results.json --threads "${THREADS:-2}" >scores.txt
printf 'scoring 40,504 photos with 202,520 references: %.1f s\n' "$(awk "BEGIN { print $(date +%s.%N) - $start }")"

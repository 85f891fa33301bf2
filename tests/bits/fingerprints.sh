#!/usr/bin/env bash
# Prints digests of what the program computes, one line per result: weights after training, captions with their
# maps and probabilities, scores, and pictures. A change of the code that should leave all results as they are is
# checked by comparing the lines of before and after on one machine:
#   bash tests/bits/fingerprints.sh OLD_PROGRAM >before.txt; bash tests/bits/fingerprints.sh PROGRAM | diff before.txt -
# Only numbers, words and pixels count, not how keys and headings are called, nor in which order JSON has its keys.
set -euo pipefail
program=$(realpath "$1")
project=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export SACCADE_PARAPHRASES=none  # whatever Python has

# run COMMAND...: the program, whose messages are shown only where it fails.
run() { "$program" "$@" 2>err || { cat err >&2; exit 1; }; }
digest() { printf '%s %s\n' "$(sha256sum | cut -c1-32)" "$1"; }

# The numbers of a JSON text that have a point, each with as many digits as it has, sorted: results, and neither
# counts nor versions of the form.
numbers() { grep -oE -- '-?[0-9]+\.[0-9]+([eE][-+]?[0-9]+)?' | LC_ALL=C sort; }

# Models of every kind after a short training on drawn scenes, and what they say.
train() { # NAME OVERRIDE...
  local name=$1
  shift
  run train "$project/configs/quickstart.yaml" --out "$name" --report-images 0 data.scenes.train=600 \
    data.scenes.val=60 data.scenes.test=40 train.stop=60u train.validate_every=30u train.validate_images=20 \
    optimizer.warmup=20 "$@" >/dev/null
  run inspect "$name/checkpoints/last" --json | grep -E '"(parameters|optimizer)_digest"' | digest "weights of $name"
  run evaluate "$name/checkpoints/last" --split test --json >"$name.json"
  numbers <"$name.json" | digest "evaluation of $name"
}
hard='{reward: to_go, baseline: leave_one_out, samples: 4, lambda_r: 1, expectation_share: 1 -> 0 over 30u}'
localizer='{weight: 1, smoothing: 0.7, centre: 0.15}'
train soft
train hard attention.selection=hard "attention.hard=$hard"
train localized decoder.type=gru "objective.supervision.localizer=$localizer" train.captions=whole_images
train transformer decoder.type=transformer decoder.hidden=96 encoder.positions=sinusoidal_2d attention.score=scaled_dot \
  attention.heads=4 attention.gate=none
train vit encoder.type=vit encoder.vit.patch=16 encoder.positions=sinusoidal_2d attention.normalizer=sparsemax
train rewarded train.init_from=./soft objective.self_critical.start=0u objective.self_critical.lr=2e-3 \
  train.stop=20u train.validate_every=20u

# What the models that come with the project say of four photos, and the pictures of their maps: in a folder of its
# own, because the runs above have the same names.
mkdir photos
cd photos
for model in soft hard; do
  run caption --models "$project/captioning/pretrained" $model "$project"/experiments/photos/*.jpg >said.txt
  run caption --models "$project/captioning/pretrained" $model "$project"/experiments/photos/*.jpg --json >said.json
  sed 's|^.*/||' said.txt | digest "captions of the model $model"
  numbers <said.json | digest "maps of the model $model"
done
for format in png svg pdf; do
  run overlay --models "$project/captioning/pretrained" soft "$project/experiments/photos/dogs.jpg" --with hard --out sheets --format $format >/dev/null
  find sheets -name "*.$format" -printf '%P\n' | LC_ALL=C sort | while read -r file; do
    grep -av '/CreationDate' "sheets/$file" | digest "picture $file"
  done
done

# The scores of captions that stand in the tree.
run score "$project/tests/golden/captions/references.json" "$project/tests/golden/captions/results.json" --json \
  --intervals >scores.json
numbers <scores.json | digest "scores of the captions in tests/golden"

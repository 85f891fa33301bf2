#!/usr/bin/env bash
# From a fresh machine to captions and attention maps: installs missing packages, builds the program, captions
# four photos with the two models that come with it, and then trains a captioner with soft and one with hard
# attention on the built-in scenes and compares them. When it is run again it continues where it stopped and
# keeps everything that is finished.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
. experiments/setup.sh
out=runs/quickstart photos=runs/photos

install_packages
build release saccade
mkdir -p "$photos"
say "captioning the photos of experiments/photos with the models soft and hard"
for model in soft hard; do
  echo "$model:"
  build/release/saccade caption "$model" experiments/photos/*.jpg --page "$photos/$model.html" || exit $?
done
build/release/saccade overlay soft experiments/photos/*.jpg --with hard --out "$photos" >/dev/null || exit $?
say "The maps are on the pages $photos/soft.html and $photos/hard.html, and side by side on these sheets:"
ls "$photos"/*.png
say "training and comparing soft and hard attention (configs/quickstart.yaml); this takes a few minutes"
build/release/saccade compare configs/quickstart.yaml --out "$out" || exit $?
say "The scores are in $out/compare.md and $out/compare.json."
say "To see the attention maps of both models, open $out/report.html in a browser, or these sheets:"
ls "$out"/sheets/*.png
say "To go on, see build/release/saccade --help and README.md."

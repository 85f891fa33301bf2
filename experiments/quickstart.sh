#!/usr/bin/env bash
# From a fresh machine to captions and attention maps: installs missing packages, builds, trains a
# captioner with soft and one with hard attention on the built-in scenes, and compares them. When it is
# run again it continues where it stopped and keeps everything that is finished.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
. experiments/setup.sh
out=runs/quickstart

install_packages
build release saccade
say "training and comparing soft and hard attention (configs/quickstart.yaml); this takes a few minutes"
build/release/saccade compare configs/quickstart.yaml --out "$out" || exit $?
say "The scores are in $out/compare.md and $out/compare.json."
say "To see the attention maps of both models, open $out/report.html in a browser, or these sheets:"
ls "$out"/sheets/*.png
say "To go on, see build/release/saccade --help and README.md."

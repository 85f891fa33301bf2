#!/usr/bin/env bash
# From a fresh machine to captions and attention maps: installs what is missing, builds, trains a
# soft and a hard attention captioner on the built-in scenes and compares them. Run again, it goes on
# where it stopped; what is finished is kept.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
. experiments/setup.sh
out=runs/quickstart

install_packages
build release saccade
say "training and comparing soft and hard attention (configs/quickstart.yaml), a few minutes"
build/release/saccade compare configs/quickstart.yaml --out "$out" || exit $?
say "the numbers: $out/compare.md and $out/compare.json"
say "where the models looked, soft and hard side by side: open $out/report.html in a browser, or"
ls "$out"/sheets/*.png
say "next: build/release/saccade --help, and the README"

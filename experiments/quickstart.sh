#!/usr/bin/env bash
# From a fresh machine to captions and attention maps: installs what is missing, builds, trains a
# soft and a hard attention captioner on the built-in scenes and compares them.
#   bash experiments/quickstart.sh [KEY.PATH=VALUE ...]     settings that override configs/quickstart.yaml
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
. experiments/setup.sh
out=runs/quickstart

install_packages
build release
if [ -f "$out/compare.json" ]; then
  say "$out is complete already; remove it to run the comparison again"
else
  say "training and comparing soft and hard attention (configs/quickstart.yaml), a few minutes"
  build/release/saccade compare configs/quickstart.yaml --out "$out" "$@" || exit $?
fi
say "results: $PWD/$out/compare.json"
say "pictures of where the models looked:"
find "$out" -name '*.png' | sort | head -n 20

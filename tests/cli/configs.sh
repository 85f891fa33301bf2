#!/usr/bin/env bash
# Every experiment of configs/ is a config that the program accepts, apart from the files of data and weights
# that a user has to name, and configs/README.md names it.
models=shipped  # one config goes on from a model that comes with the project
configs=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../configs" && pwd)
. "$(dirname "${BASH_SOURCE[0]}")/support.sh" "$@"

checked=0
for config in "$configs"/*.yaml; do
  if [[ $config == */scenes-finetune.yaml ]]; then  # a network that only a user has
    expect 2 "$saccade" config check "$config"
    [ "$(wc -l <err)" -eq 1 ] || fail "$config: more than the network is missing"
    wants "needs encoder.model" err
    continue
  fi
  if [[ $config == */digits.yaml ]]; then  # digits.sh checks it, where there are sounds
    grep -qF '`digits.yaml`' "$configs/README.md" || fail "configs/README.md does not name $config"
    continue
  fi
  # Regions and frames of scenes are written by a command of their own.
  [[ $config != */scenes-moving.yaml ]] ||
    expect 0 "$saccade" data "$config" --regions moving.safetensors data.scenes.train=50
  [[ $config != */scenes-regions.yaml ]] ||
    expect 0 "$saccade" data "$config" --regions regions.tsv data.scenes.train=50
  expect 0 "$saccade" config check "$config"
  wants ": no mistakes" out
  # What it warns of are files that are missing, and nothing else.
  ! grep -v "is not given and\|does not exist\|no such file" err | grep . >unexpected ||
    fail "$config: $(head -n 1 unexpected)"
  checked=$((checked + 1))
  grep -qF "\`$(basename "$config")\`" "$configs/README.md" || fail "configs/README.md does not name $config"
done
[ $checked -gt 20 ] || fail "only $checked configs were found in $configs"

# One arm of a study is trained by its keys on the command line, as the page says of this one.
expect 0 "$saccade" config check "$configs/flickr8k-grounding.yaml" encoder.layer= 'encoder.layers=[conv39_relu6,t168]' \
  'encoder.keys=[conv39_relu6]' objective.supervision.localizer.weight=0.5 train.captions=all train.stop=3e
wants "as a run of saccade train; saccade compare refuses it" out

# A measure has one name: where the heading of a table speaks of correctness, it is a label of the program, and
# no page gives it another name.
expect 0 "$saccade" list metrics
cp out metrics.txt
project=$(cd "$configs/.." && pwd)
other_names() { # PAGE: prints names of correctness that the program does not have
  grep -nE "times uniform|correctness over uniform|correctness by that of" "$1"
  awk '/^\|[ :|-]*$/ && /---/ { print heading } { heading = $0 }' "$1" | tr '|' '\n' | grep -i correctness |
    sed 's/^ *//; s/ *$//; s/, references$//' | while read -r name; do grep -qF "shown as $name;" metrics.txt || echo "$name"; done
}
for page in "$project"/README.md "$configs"/*.md "$project"/core/attention/README.md \
  "$project"/captioning/README.md "$project"/captioning/pretrained/*.md; do
  [ -z "$(other_names "$page")" ] || fail "$page: $(other_names "$page")"
done
printf '| a | correctness |\n|---|---:|\n| b | 1 |\n' >right.md
printf '| a | correctness by area, references |\n|---|---:|\n| b | 1 |\nIt has 2.0 times uniform.\n' >wrong.md
[ -z "$(other_names right.md)" ] && [ "$(other_names wrong.md | wc -l)" -eq 2 ] || fail "the check of names finds nothing"

# The check would notice a mistake.
sed 's/selection: soft/selection: sfot/' "$configs/flickr8k-paper.yaml" >wrong.yaml
expect 2 "$saccade" config check wrong.yaml
wants "sfot" err
exit 0

# A comparison has every arm and regime, keeps finished runs when it is run again, and names what failed.
. "$(dirname "${BASH_SOURCE[0]}")/support.sh"

cat >compare.yaml <<'YAML'
base: tiny.yaml
name: two
compare:
  axes: {attention.selection: [soft, hard]}
  seeds: [1, 2]
YAML
expect 0 "$saccade" compare compare.yaml --out both
for text in "selection=soft" "selection=hard" "expectation" "argmax" "sample" "BLEU-4" \
  "true captions" "map entropy" "ms per update" "peak memory" "parameters" " ±0."; do
  wants "$text" out
done
# Headlines only; a block of columns has no line of dashes.
for text in BLEU-1 "largest weight" advantage; do
  ! grep -qF "$text" out both/compare.md || fail "$text is no headline"
done
! grep -E '^[^ ]+( [^ ]+)*( {2,}-)+$' out || fail "a line of dashes"
cp out table
expect 0 "$saccade" compare compare.yaml --out both --all
for text in BLEU-1 "largest weight" advantage; do
  wants "$text" out
  wants "$text" both/compare.md
done
! grep -E '^[^ ]+( [^ ]+)*( {2,}-)+$' out || fail "a line of dashes"
for file in compare.json compare.md selection-soft/seed-1/checkpoints/last \
  selection-hard/seed-2/metrics.jsonl; do
  [ -s both/$file ] || fail "both/$file is missing"
done
ls both/sheets/*.png >/dev/null || fail "both/sheets has no PNG file"
wants "wrote both/report.html" err
wants '"selection=hard"' both/report.html
report=both/compare.json
# Scores that can say little are marked in every form.
[ "$(json $report /marks/0/metrics#)" -ge 2 ] || fail "compare.json has no marks"
for file in out both/compare.md both/compare.tex; do
  grep -q "it weighs words\|is in a reference, so that\|words, so that there is no" $file || fail "$file has no reason of a mark"
done
# The directory of a finished comparison can be compared again. Its arms are found by how the configs of
# the runs differ.
expect 0 "$saccade" compare both --json
[ "$(json out '/arms#')" -eq 2 ] || fail "the finished comparison does not have two arms"
[ "$(json out /arms/1/regimes/0/corpus/Bleu_4/n)" -eq 2 ] ||
  fail "an arm of the finished comparison does not have two seeds"
[ "$(json $report /schema_version)" -eq 1 ] || fail "schema_version is not 1"
[ "$(json $report /complete)" = true ] || fail "the comparison is not complete"
[ "$(json $report '/arms#')" -eq 2 ] || fail "the report does not have two arms"
[ "$(json $report '/arms/0/regimes#')" -eq 1 ] || fail "soft attention does not have one regime"
[ "$(json $report '/arms/1/regimes#')" -eq 4 ] || fail "hard attention does not have four regimes"
[ "$(json $report '/arms/1/seeds#')" -eq 2 ] || fail "an arm does not have two seeds"
[ "$(json $report /arms/1/values/attention.selection)" = hard ] || fail "an arm does not have its values"
[ "$(json $report /arms/0/regimes/0/corpus/Bleu_1/n)" -eq 2 ] || fail "a metric is not of two runs"
for key in /arms/0/regimes/0/corpus/Bleu_1/mean /arms/0/ms_per_update/mean \
  /arms/0/peak_memory_bytes/mean /arms/0/parameters /arms/1/seeds/0/regimes/2/corpus/Bleu_4 \
  /arms/0/regimes/0/corpus/references_pointing_accuracy/mean \
  /arms/0/regimes/0/corpus/references_centre_bias_energy_pointing/mean; do
  json $report $key >/dev/null
done

# A warning that concerns all arms is shown once, and is in the log of each run.
expect 0 "$saccade" compare compare.yaml --out short search.max_length=2 train.stop=1u "compare.seeds=[1]"
[ "$(grep -c "are longer than search.max_length" err)" -eq 1 ] || fail "the warning is not shown once"
for arm in soft hard; do
  wants "are longer than search.max_length" short/selection-$arm/seed-1/train.log
done

# A run of an arm equals the run that `train` makes of the same config.
expect 0 "$saccade" train tiny.yaml --out alone attention.selection=hard seed=2
wants "wrote alone/report.html" err
[ "$(digest alone)" = "$(digest both/selection-hard/seed-2)" ] ||
  fail "the run of the arm differs from the one of train"

# A report shows any runs and comparisons side by side.
expect 0 "$saccade" report both alone --out side.html --images 3 --json
[ "$(json out /n_models)" -eq 3 ] || fail "n_models is not 3, for two arms and a run"
[ "$(json out /n_images)" -eq 3 ] || fail "n_images is not 3"
[ "$(json out /bytes)" -eq "$(wc -c <side.html)" ] || fail "bytes is not the size of the page"
expect 0 "$saccade" report both --seeds --out seeds.html --images 2 --json
[ "$(json out /n_models)" -eq 4 ] || fail "n_models is not 4, for two arms with two seeds"
expect 2 "$saccade" report alone --seeds
one_error "--seeds has no effect"
expect 2 "$saccade" report
expect 0 "$saccade" report alone --out worst.html --images 2 --worst CIDEr --json
[ "$(json out /n_images)" -eq 2 ] || fail "a report of the worst images does not have two"
expect 2 "$saccade" report alone --worst CIDer
one_error "there is no measure 'CIDer'" "did you mean 'CIDEr'?"
expect 2 "$saccade" report alone --images 0
expect 4 "$saccade" report nowhere
one_error "nowhere"
expect 5 "$saccade" report alone --out no/such/page.html
expect 0 "$saccade" train tiny.yaml --out bare train.stop=1u --report-images 0
[ ! -e bare/report.html ] || fail "--report-images 0 wrote a report"

# The same command again trains nothing and prints the same table.
before=$(digest both/selection-hard/seed-2)
expect 0 "$saccade" compare compare.yaml --out both
cmp out table || fail "the second time, the table differs"
[ "$before" = "$(digest both/selection-hard/seed-2)" ] || fail "a finished run was trained again"

# Another config is refused before any finished file is changed.
cp both/compare.json kept.json
expect 7 "$saccade" compare compare.yaml --out both optimizer.lr=1e-2
wants "optimizer.lr was" err
wants "choose another --out" err
cmp both/compare.json kept.json || fail "a refused comparison changed the report"
# An arm that cannot be built is reported before the others are trained.
expect 2 "$saccade" compare tiny.yaml --out bad \
  'compare.axes={attention.selection: [soft, hard], attention.score: [additive, none]}'
one_error "attention.score none needs attention.selection soft"
[ ! -e bad ] || fail "a comparison that could not start left its directory behind"

# Messages about a named arm have its name and the place in the file.
cat >arms.yaml <<'YAML'
base: tiny.yaml
name: named
compare:
  arms:
    plain: {}
    many: {attention.heads: 3}
YAML
expect 2 "$saccade" config check arms.yaml
one_error "many: attention.heads 3 needs to divide attention.hidden"
sed -i 's/many: .*/sparse: {attention.normalizer: sparsemax}/' arms.yaml
expect 0 "$saccade" config check arms.yaml
wants "compares 2 arms with 1 seed" out
expect 0 "$saccade" compare arms.yaml --out named train.stop=2u
wants "sparse" out
[ "$(json named/compare.json /arms/1/name)" = sparse ] || fail "the arm does not have its name"
[ -s named/sparse/seed-1/metrics.jsonl ] || fail "the arm does not have its folder"
sed -i 's/normalizer/normaliser/' arms.yaml
expect 2 "$saccade" compare arms.yaml --out bad
one_error "arms.yaml:6:5: compare.arms.sparse" "unknown key 'normaliser'" "did you mean 'normalizer'"

# If one arm fails, this is reported at once, the other arms are trained, and the exit code is 8.
expect 8 "$saccade" compare tiny.yaml --out part train.stop=6u optimizer.clip_norm=0 \
  'compare.axes={optimizer.lr: [1e-3, 1e30]}'
wants "lr=1e30, seed 1" err
[ "$(json part/compare.json /arms/0/seeds/0/status)" = ok ] || fail "the status of the good arm is not ok"
[ "$(json part/compare.json /arms/1/seeds/0/status)" = failed ] ||
  fail "the status of the bad arm is not failed"
[ "$(json part/compare.json /complete)" = false ] || fail "a comparison with a failed arm is complete"
# Where every run fails, there is no table of nothing.
expect 8 "$saccade" compare tiny.yaml --out nothing train.stop=6u optimizer.clip_norm=0 optimizer.lr=1e30
wants "no run of the comparison succeeded" err
[ ! -s out ] && [ ! -e nothing/compare.json ] || fail "a comparison without runs has results"

# A comparison is stopped and then continued.
"$saccade" compare compare.yaml --out stopped train.stop=100000u \
  train.validate_every=100000u >out 2>err &
pid=$!
until_true [ -s stopped/selection-soft/seed-1/metrics.jsonl ]
kill -TERM $pid
wait $pid
[ $? -eq 143 ] || fail "the exit code after SIGTERM is not 143"
"$saccade" inspect stopped/selection-soft/seed-1/checkpoints/last --json >inspect.json ||
  fail "the run that was stopped saved no checkpoint"
expect 0 "$saccade" compare compare.yaml --out stopped compare.seeds=[1] \
  train.validate_every=100000u train.stop=$(($(json inspect.json /state/update) + 3))u
[ "$(json stopped/compare.json /complete)" = true ] || fail "the continued comparison is not complete"

expect 2 "$saccade" compare tiny.yaml --out bad 'compare.axes={attention.selction: [soft]}'
wants "did you mean 'selection'?" err
expect 2 "$saccade" compare tiny.yaml --out bad 'compare.axes={seed: [1, 2]}'
one_error "compare.seeds"
expect 7 "$saccade" compare compare.yaml --out alone
mkdir mine
echo notes >mine/notes
expect 7 "$saccade" compare compare.yaml --out mine
[ "$(ls mine)" = notes ] || fail "a directory that is not of a comparison was changed"

expect 2 "$saccade" compare compare.yaml --out bad compare.seeds=[1,2,1]
one_error "compare.seeds: 1"
# Data that no arm can load are reported once, with the exit code for bad data.
cat >missing.yaml <<'YAML'
base: compare.yaml
data: {type: karpathy, annotations: nowhere.json, images: nowhere}
YAML
expect 3 "$saccade" compare missing.yaml --out bad
[ "$(wc -l <err)" -eq 2 ] || fail "not one line for each of the two places"
wants "data.annotations: nowhere.json is missing" err
wants "data.images: nowhere is missing" err
[ ! -e bad ] || fail "a comparison that could not start left its directory behind"
exit 0

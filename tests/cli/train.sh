# The files that a run writes: config, manifest, metrics, log, TensorBoard events, and checkpoints with
# links to them.
. "$(dirname "${BASH_SOURCE[0]}")/support.sh"

expect 0 "$saccade" train tiny.yaml --out run data.captions_per_image=2 --json
[ "$(json out /updates)" -eq 24 ] || fail "the run does not have 24 updates"
[ "$(json out /reason)" = finished ] || fail "the run is not finished"
best=$(json out /best_checkpoint)
wants "update 10 (expectation): BLEU-4 " err # people read labels, JSON has keys
! grep -q Bleu_4 err || fail "a line of the training names a metric by its key"
[ "$best" = run/checkpoints/best-Bleu_4 ] && [ -f "$best" ] || fail "there is no best checkpoint"

for file in config.yaml manifest.json metrics.jsonl train.log checkpoints/last; do
  [ -s run/$file ] || fail "run/$file is missing"
done
expect 0 "$saccade" config check run/config.yaml
wants "captions_per_image: 2" run/config.yaml
[ "$(readlink run/checkpoints/last)" = step-00000024.h5 ] ||
  fail "checkpoints/last is not a relative link to the last checkpoint"
[ "$(json run/manifest.json /seed)" -eq 1 ] || fail "the manifest does not have the seed"
for key in /versions/compiler /versions/simd /dataset/digest /vocabulary/digest \
  /starts/0/command_line /starts/0/program/commit /starts/0/program/changed \
  /starts/0/program/digest /starts/0/processor/name /starts/0/processor/model; do
  [ -n "$(json run/manifest.json $key)" ] || fail "the manifest does not have $key"
done
[ "$(json run/manifest.json '/starts/0/processor/features#')" -gt 0 ] ||
  fail "the manifest does not have the instructions of the processor"
# The two newest checkpoints are kept, and the best one if it is older.
[ "$(ls run/checkpoints/step-*.h5 | wc -l)" -le 3 ] || fail "old checkpoints were kept"

lines=$(wc -l <run/metrics.jsonl)
[ "$(json run/metrics.jsonl '#')" -eq "$lines" ] ||
  fail "metrics.jsonl does not have one JSON value per line"
for event in update validation checkpoint end; do
  wants "\"event\":\"$event\"" run/metrics.jsonl
done
for key in loss ms_per_update captions_per_second peak_memory_bytes lr; do
  json run/metrics.jsonl "/0/$key" >/dev/null
done
[ "$(json run/metrics.jsonl "/$((lines - 1))/parameters")" -gt 1000 ] ||
  fail "the number of parameters is not above 1000"

# What hard attention took in an update: as many different cells per word as the estimator reports, and
# with several heads all of their cells. The run has the bits of one that does not write them.
hard="attention.selection=hard attention.hard.expectation_share=0.5 train.stop=2u"
expect 0 "$saccade" train tiny.yaml --out silent $hard
expect 0 "$saccade" train tiny.yaml --out drawn $hard --draws
[ "$(digest drawn)" = "$(digest silent)" ] || fail "writing the draws changed the run"
! grep -q '"draws"' silent/metrics.jsonl || fail "draws were written that nobody asked for"
[ "$(grep -c '"event":"draws"' drawn/metrics.jsonl)" -eq 2 ] || fail "not every update has its draws"
grep -m 1 '"event":"draws"' drawn/metrics.jsonl >draws.json
grep -m 1 '"event":"update"' drawn/metrics.jsonl >update.json
[ "$(json draws.json '/captions#')" -eq 8 ] || fail "not every caption of the batch is there"
for c in 0 1 2 3 4 5 6 7; do
  cells=
  words=$(json draws.json "/captions/$c/words#")
  [ "$(json draws.json "/captions/$c/words/$((words - 1))")" = "<eos>" ] || fail "a caption without an end"
  [ "$(json draws.json "/captions/$c/sampled#")" -eq "$words" ] || fail "not one cell for each word"
  for t in $(seq 0 $((words - 1))); do
    cells+=$(json draws.json "/captions/$c/sampled/$t")$'\n'
  done
  echo "$words $(grep -vc null <<<"${cells%$'\n'}") $(grep -v null <<<"${cells%$'\n'}" | sort -u | grep -c .)"
done >cells.txt
awk -v distinct="$(json update.json /estimator/distinct_cells)" \
  -v expectation="$(json update.json /estimator/expectation_share)" '
  $2 != 0 && $2 != $1 { print "a caption took cells for some of its words alone"; exit }
  $2 { ++drawn; share += $3 / $1 }
  END {
    off = share / drawn - distinct
    if (drawn == 0 || drawn == 8) print "this test needs captions of both kinds"
    if (1 - drawn / 8 != expectation) print "the share of the expectation is not", expectation
    if (off > 1e-6 || off < -1e-6) print share / drawn, "is not", distinct
  }' cells.txt >wrong.txt
[ ! -s wrong.txt ] || fail "$(cat wrong.txt)"
expect 0 "$saccade" train tiny.yaml --out heads $hard --draws attention.heads=2 attention.gate=none
grep -m 1 '"event":"draws"' heads/metrics.jsonl >draws.json
[ "$(json draws.json '/captions/0/choices/0#')" -eq 2 ] || fail "not one cell for each head"
expect 2 "$saccade" train tiny.yaml --out none --draws
one_error "--draws has no effect: attention.selection is soft"

for tag in train/loss validation/Bleu_4 attention/entropy sheets/scene-val-0; do
  wants $tag run/events.out.tfevents.*
done

expect 7 "$saccade" train tiny.yaml --out run
one_error "run: exists and is not empty" "the option resume" "choose another directory"

expect 0 "$saccade" train tiny.yaml --out dev --fast-dev-run optimizer.warmup=100 \
  optimizer.schedule=warmup_cosine train.validate_every=5e
wants "3 updates" out
expect 0 "$saccade" train tiny.yaml --out over --overfit 4 --limit-val 2 train.stop=6u
wants "6 updates" out
expect 0 "$saccade" train tiny.yaml --out hard attention.selection=hard train.stop=12u
wants "expectation_share" hard/metrics.jsonl

# If stderr is no terminal, progress is shown as lines and not as bars.
grep -q $'\r' err && fail "a progress bar was drawn into a file"

# A model without attention.
expect 0 "$saccade" train tiny.yaml --out none attention.score=none attention.gate=none \
  train.stop=6u
# The last update is saved twice where a checkpoint is due, and told once.
expect 0 "$saccade" train tiny.yaml --out due train.stop=16u --report-images 0
[ -z "$(sort due/metrics.jsonl | uniq -d)" ] || fail "metrics.jsonl has a line twice"
# Names reach the terminal without what would command it.
expect 0 "$saccade" train tiny.yaml --out $'odd\e[31mrun' --fast-dev-run --report-images 0
! grep -q $'\e' out err || fail "the name of a folder reached the terminal as it is"
exit 0

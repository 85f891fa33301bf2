# Large comparisons: several runs that train at once, values that are tuned for each arm, and a comparison
# that is killed at any moment and continued.
. "$(dirname "${BASH_SOURCE[0]}")/support.sh"

write_study
expect 0 "$saccade" compare study.yaml --out alone --report-images 0
wants "against soft" out
wants "hard (argmax) against soft: " out
wants "no verdict from 8 images, which needs at least 20" out
for file in compare.md compare.tex compare.csv compare.svg; do
  [ -s alone/$file ] || fail "alone/$file is missing"
done
wants '\toprule' alone/compare.tex
wants 'hard,sample,true_caption_rate,2,' alone/compare.csv
json alone/compare.json /arms/1/regimes/0/corpus/Bleu_4/difference/p_holm >/dev/null
[ "$(json alone/compare.json /against)" = soft ] || fail "the first arm is not the reference"

# What the file declares counts, and the command line wins.
cp -r alone declared
expect 0 "$saccade" compare study.yaml --out declared --report-images 0 compare.primary=METEOR \
  'compare.margins=[CIDEr=0.1, Bleu_4=0.2]'
[ "$(json declared/compare.json /primary)" = METEOR ] || fail "compare.primary is not read"
[ "$(json declared/compare.json /arms/1/regimes/0/corpus/CIDEr/difference/margin)" = 0.1 ] ||
  fail "compare.margins is not read"
! grep -q "replaces" err || fail "nothing was replaced"
wants "primary: METEOR" declared/config.yaml
expect 0 "$saccade" compare study.yaml --out declared --report-images 0 compare.primary=METEOR \
  'compare.margins=[CIDEr=0.1, Bleu_4=0.2]' --primary CIDEr --margin CIDEr=0.3
wants "--primary CIDEr replaces compare.primary of the config, METEOR" err
wants "--margin CIDEr=0.3 replaces the margin of compare.margins, 0.1" err
[ "$(json declared/compare.json /primary)" = CIDEr ] || fail "--primary is not read"
[ "$(json declared/compare.json /arms/1/regimes/0/corpus/CIDEr/difference/margin)" = 0.3 ] ||
  fail "--margin is not read"
json declared/compare.json /arms/1/regimes/0/corpus/Bleu_4/difference/tests >/dev/null

# With several runs at once, the runs and the numbers stay the same.
expect 0 "$saccade" compare study.yaml --out beside --report-images 0 --jobs 3
wants "finished after" err
wants "times were measured while 3 runs trained at once" out
cmp alone/compare.csv beside/compare.csv || fail "--jobs changed the numbers"
for run in soft/seed-1 soft/seed-2 hard/seed-1 hard/seed-2; do
  [ "$(digest alone/$run)" = "$(digest beside/$run)" ] || fail "--jobs changed the run $run"
  [ ! -e beside/$run.log ] && [ ! -e beside/$run.yaml ] || fail "temporary files of $run were left behind"
done
# The same command again starts no run.
expect 0 "$saccade" compare study.yaml --out beside --report-images 0 --jobs 3
! grep -q "started" err || fail "a finished run was started again"

# A comparison is killed at several moments. Finished runs stay, and the same command finally gives the
# same numbers.
for moment in 0.3 0.9 1.7; do
  setsid "$saccade" compare study.yaml --out killed --report-images 0 --jobs 2 >/dev/null 2>&1 &
  pid=$!
  sleep $moment
  kill -KILL $pid 2>/dev/null
  wait $pid 2>/dev/null
done
# The runs of a killed comparison save a checkpoint and end by themselves.
go_on() { "$saccade" compare study.yaml --out killed --report-images 0 >out 2>err </dev/null; }
until_true go_on
[ "$(json killed/compare.json /complete)" = true ] ||
  fail "the killed and continued comparison is not complete"
for run in soft/seed-1 soft/seed-2 hard/seed-1 hard/seed-2; do
  [ "$(digest alone/$run)" = "$(digest killed/$run)" ] ||
    fail "the result of the killed and continued run $run differs"
done

# The folders of the arms are enough to go on: finished runs are kept, and the files are written again.
mkdir arms
cp -r alone/soft alone/hard arms/
expect 0 "$saccade" compare study.yaml --out arms --report-images 0
cmp alone/compare.csv arms/compare.csv || fail "the numbers of the copied arms differ"
[ "$(digest alone/hard/seed-2)" = "$(digest arms/hard/seed-2)" ] || fail "a finished run was trained again"

# Each arm gets the value with which it scores best on the validation images.
expect 0 "$saccade" compare study.yaml --out tuned --report-images 0 compare.seeds=[1] \
  --tune optimizer.lr=1e-6 --tune optimizer.lr=5e-3 compare.tune_stop=16u
wants "soft was tuned on validation images: optimizer.lr=1e-6" out
wants "; it keeps optimizer.lr=" out
[ "$(json tuned/compare.json '/arms/0/trials#')" -eq 2 ] || fail "the arm does not have two trials"
[ -s tuned/soft/tune/lr-1e-6/seed-1/metrics.jsonl ] || fail "the run of the trial is missing"
chosen=$(json tuned/compare.json /arms/0/values/optimizer.lr)
"$saccade" inspect tuned/soft/seed-1 --json >inspect.json
low=$(json tuned/compare.json /arms/0/trials/0/score)
high=$(json tuned/compare.json /arms/0/trials/1/score)
best=$(echo "$low $high" | awk '{print ($2 > $1) ? "5e-3" : "1e-6"}')
[ "$chosen" = "$best" ] || fail "chose $chosen of scores $low and $high"
# Finished runs whose config has none of the values are reported before any value is tried.
expect 7 "$saccade" compare study.yaml --out alone --tune optimizer.lr=1e-6,2e-6
wants "alone/soft/seed-1/config.yaml: this arm was trained with another config" err
[ ! -e alone/soft/tune ] || fail "a value was tried"
expect 2 "$saccade" compare study.yaml --out bad --tune optimizer.lr
one_error "--tune optimizer.lr: write it as key=value,value"
expect 2 "$saccade" compare study.yaml --out bad --tune attention.selection=soft,hard
one_error "attention.selection is tuned, and hard sets" "leave out one of them"
expect 2 "$saccade" compare study.yaml --out bad compare.against=sfot
one_error "there is no arm sfot; the arms are soft; hard"
expect 2 "$saccade" config check study.yaml compare.against=sfot

# Values that make two arms equal choose one run: check and train take them, and compare does not.
set -- study.yaml attention.selection=hard
expect 2 "$saccade" compare "$@" --out bad
one_error "two equal arms, of which the second is hard"
expect 0 "$saccade" config check "$@"
wants "study.yaml: no mistakes as a run of saccade train; saccade compare refuses it (compare: there are two equal" out
expect 0 "$saccade" config check "$@" --json
[ "$(json out '/arms#')" -eq 1 ] || fail "more than the one run is checked"
wants "two equal arms" <(json out /refused_by_compare)
expect 0 "$saccade" train "$@" --out chosen train.stop=2u train.validate_every=2u --report-images 0
# The run is checked as train checks it, and equal arms of the file itself are a mistake.
expect 2 "$saccade" config check "$@" optimizer.schedule=cosine optimizer.warmup=24
cp err checked
expect 2 "$saccade" train "$@" optimizer.schedule=cosine optimizer.warmup=24 --out bad
cmp -s err checked || fail "config check and train find different mistakes"
sed 's/{attention.selection: hard}/{attention.selection: soft}/' study.yaml >equal.yaml
for values in "" decoder.hidden=16; do
  expect 2 "$saccade" config check equal.yaml $values
  one_error "two equal arms"
done
[ ! -e bad ] || fail "a refused command left a folder behind"

exit 0

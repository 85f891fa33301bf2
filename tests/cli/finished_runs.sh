# Comparing runs that were trained before: which runs are one arm, what is refused, and what is kept.
. "$(dirname "${BASH_SOURCE[0]}")/support.sh"

write_study
expect 0 "$saccade" compare study.yaml --out study --report-images 0

# The differences are printed first; the seeds of one experiment are one arm.
expect 0 "$saccade" compare study/soft/seed-1 study/soft/seed-2 study/hard/seed-1 \
  study/hard/seed-2 --out again
wants "hard: attention.selection is hard, not soft" err
[ -s again/report.html ] || fail "no report of finished runs"
wants "hard (argmax) against soft: Bleu_4 is " out
[ "$(json again/compare.json '/arms#')" -eq 2 ] || fail "two arms of four runs"
cmp study/compare.csv again/compare.csv || fail "other numbers than the study's"
for arm in 0 1; do
  [ "$(json again/compare.json /arms/$arm/updates/mean)" = \
    "$(json study/compare.json /arms/$arm/updates/mean)" ] || fail "other updates than the study's"
done
expect 0 "$saccade" compare study --against hard --json
[ "$(json out /against)" = hard ] || fail "--against"
expect 2 "$saccade" compare study --against sfot
wants "there is no such arm; the arms are soft; hard" err
expect 2 "$saccade" compare study compare.against=hard
one_error "use --against"
expect 2 "$saccade" compare study --report-images 3
one_error "without --out"
expect 2 "$saccade" compare study.yaml --out new --force
one_error "--force is for directories of finished runs"

# The verdict says over how many seeds of each side it is.
expect 0 "$saccade" compare study/soft/seed-1 study/hard/seed-2
wants "over the images of one run each; the runs differ in the seed, too" out

# A comparison is found from any folder, and only one of the same runs may replace it.
mkdir elsewhere
(cd elsewhere && "$saccade" report ../again --out page.html --images 2 >/dev/null 2>&1) ||
  fail "a comparison of finished runs is bound to a folder"
expect 0 "$saccade" compare study --out again --report-images 0
cp study/compare.json kept.json
expect 7 "$saccade" compare study/soft/seed-1 --out study
one_error "study: holds another comparison"
expect 7 "$saccade" compare study/soft/seed-1 study/hard/seed-1 --out again
expect 7 "$saccade" compare study.yaml --out again
one_error "again: holds a comparison of finished runs"
cmp study/compare.json kept.json || fail "a study was written over"
expect 5 "$saccade" compare study --out /proc/none
! grep -q "evaluating" err || fail "runs were scored for nothing"

# What makes a comparison unfair is refused, or with --force reported.
expect 2 "$saccade" compare study study/soft/seed-1
one_error "are the same experiment with the same seed"
cp -r study/hard/seed-1 stopped
sed -i '/"event": *"end"/d' stopped/metrics.jsonl
expect 2 "$saccade" compare study/soft/seed-1 stopped
wants "not every run was trained to its end:" err
wants "stopped is not finished" err
expect 0 "$saccade" compare study/soft/seed-1 stopped --force
wants "stopped is not finished" err
expect 0 "$saccade" train tiny.yaml --out other --report-images 0 data.scenes.seed=9
expect 2 "$saccade" compare study/soft/seed-1 other
wants "has other images or captions than" err
wants "--force" err
expect 0 "$saccade" compare study/soft/seed-1 other --force
wants "was scored on other images than" out
expect 4 "$saccade" compare study/soft/seed-1 nowhere
exit 0

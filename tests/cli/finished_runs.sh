# Comparing finished runs: which runs form one arm, what is refused, and which files are not replaced.
. "$(dirname "${BASH_SOURCE[0]}")/support.sh"

write_study
expect 0 "$saccade" compare study.yaml --out study --report-images 0

# The differences of the configs are printed first. Runs that differ in the seed only form one arm.
expect 0 "$saccade" compare study/soft/seed-1 study/soft/seed-2 study/hard/seed-1 \
  study/hard/seed-2 --out again
wants "hard: attention.selection is hard, not soft" err
[ -s again/report.html ] || fail "there is no report of the finished runs"
wants "hard (argmax) against soft: " out
[ "$(json again/compare.json '/arms#')" -eq 2 ] || fail "the four runs do not form two arms"
cmp study/compare.csv again/compare.csv ||
  fail "the numbers differ from those of the comparison that trained the runs"
for arm in 0 1; do
  [ "$(json again/compare.json /arms/$arm/updates/mean)" = \
    "$(json study/compare.json /arms/$arm/updates/mean)" ] ||
      fail "the updates differ from those of the comparison that trained the runs"
done
expect 0 "$saccade" compare study --against hard --json
[ "$(json out /against)" = hard ] || fail "the arm that --against names is not the reference"
expect 2 "$saccade" compare study --against sfot
wants "there is no such arm; the arms are soft; hard" err
expect 2 "$saccade" compare study compare.against=hard
one_error "use --against"
expect 2 "$saccade" compare study --report-images 3
one_error "without --out"
expect 2 "$saccade" compare study.yaml --out new --force
one_error "--force is for directories of finished runs"

# A metric that none of the runs can be judged by is refused before they are scored, with a list of those
# that they can be judged by, and of which there are variants.
expect 2 "$saccade" compare study --primary exact_match
one_error "--primary exact_match: nothing is judged by it here; choose one of "
awk -F, 'NR > 1 && $7 != "" {print $3}' study/compare.csv | sort -u >judged
sed 's/.* choose one of //; s/, or a variant (saccade list metrics)//; s/, /\n/g' err |
  awk '{print; print $1 "_no_bp"; print "references_" $1}' | sort >listed
[ -z "$(comm -23 judged listed)" ] || fail "metrics that are judged are not listed"
expect 2 "$saccade" compare study --margin alignment_accuracy=0.1
one_error "--margin alignment_accuracy: nothing is judged by it here"

# Runs of different seeds are compared, and eight images give no verdict.
expect 0 "$saccade" compare study/soft/seed-1 study/hard/seed-2
wants "hard (argmax) against soft: no verdict from 8 images" out

# A comparison can be read from any folder. Only a comparison of the same runs may replace it.
mkdir elsewhere
(cd elsewhere && "$saccade" report ../again --out page.html --images 2 >/dev/null 2>&1) ||
  fail "from another folder, report cannot read a comparison of finished runs"
expect 0 "$saccade" compare study --out again --report-images 0
cp study/compare.json kept.json
expect 7 "$saccade" compare study/soft/seed-1 --out study
one_error "study: holds another comparison"
expect 7 "$saccade" compare study/soft/seed-1 study/hard/seed-1 --out again
expect 7 "$saccade" compare study.yaml --out again
one_error "again: holds a comparison of finished runs"
cmp study/compare.json kept.json || fail "a refused comparison changed the report"
expect 5 "$saccade" compare study --out /proc/none
! grep -q "evaluating" err || fail "runs were scored before the output directory was checked"

# What would make a comparison unfair is refused. With --force it is only reported.
expect 2 "$saccade" compare study study/soft/seed-1
one_error "are the same experiment with the same seed"
cp -r study/hard/seed-1 stopped
sed -i '/"event": *"end"/d' stopped/metrics.jsonl
expect 2 "$saccade" compare study/soft/seed-1 stopped
wants "not every run was trained to its end:" err
wants "stopped is not finished" err
expect 0 "$saccade" compare study/soft/seed-1 stopped --force
wants "stopped is not finished" err
# Whatever was written into the files of a run, all that shows it goes on.
brackets=$(head -c 200000 /dev/zero | tr '\0' '[') closing=$(head -c 200000 /dev/zero | tr '\0' ']')
{
  for value in '"12"' '[12]' '{}' null true 1e300 -1e300 -12 "${brackets}$closing"; do
    for key in event update seconds reason regime metrics estimator ms_per_update peak_memory_bytes; do
      printf '{"event":"update","update":3,"%s":%s}\n{"event":"end","%s":%s}\n' $key "$value" $key "$value"
      printf '{"event":"validation","update":3,"metrics":{"Bleu_4":%s},"%s":%s}\n' "$value" $key "$value"
    done
  done
  printf '{"event":"update","a":%s\n%s\n' "$brackets" "$brackets"
  head -c 9000000 /dev/zero | tr '\0' '1'
  printf '\n\xff\xfe\n{"event":"upd'
} >hostile.jsonl
cat hostile.jsonl >>stopped/metrics.jsonl
printf '{"starts": %s%s}' "$brackets" "$closing" >stopped/manifest.json
expect 0 "$saccade" runs .
wants stopped out
expect 0 "$saccade" runs . --json
expect 0 "$saccade" compare study/soft/seed-1 stopped --force
expect 0 "$saccade" report stopped --out hostile.html --images 2
expect 0 "$saccade" train tiny.yaml --out other --report-images 0 data.scenes.seed=9
expect 2 "$saccade" compare study/soft/seed-1 other
wants "has other images or captions than" err
wants "--force" err
expect 0 "$saccade" compare study/soft/seed-1 other --force
wants "was scored on other images than" out
expect 4 "$saccade" compare study/soft/seed-1 nowhere
exit 0

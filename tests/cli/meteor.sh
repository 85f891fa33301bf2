# METEOR's paraphrases in all commands: the table is found, its index kept, and each run keeps to one METEOR.
. "$(dirname "${BASH_SOURCE[0]}")/support.sh"

# Paraphrases of what captions of scenes say.
phrases() { printf '0.5\na %s\nthe %s\n' red red big big small small; printf '0.1\nleft of\n%s\n' "$1"; }
phrases "to the left of" | gzip >table.gz
phrases "on the left of" | gzip >other.gz
printf '1\ta big dog left of a cat\n2\ta small cat\n' >refs.txt
printf '1\tthe big dog to the left of a cat\n2\tthe small cat\n' >said.txt

# The index: made once, then used; a damaged one and one that was cut are made anew.
score() { expect 0 "$saccade" score refs.txt said.txt --lines names --json --paraphrases "${1:-table.gz}"; }
score
wants "the index for the next time is $XDG_CACHE_HOME/saccade/paraphrases-" err
cp out with
score none
[ "$(json out /corpus/METEOR)" != "$(json with /corpus/METEOR)" ] || fail "the paraphrases change nothing"
index=$(echo "$XDG_CACHE_HOME"/saccade/*)
for damage in ":" "truncate -s -3 $index" "truncate -s 0 $index" "dd if=/dev/zero of=$index bs=1 seek=300 count=9 conv=notrunc" \
  "cp refs.txt $index"; do
  $damage 2>/dev/null
  score
  cmp -s out with || fail "$damage: other scores"
  if [ "$damage" = : ]; then ! grep -q index err || fail "the index is made again"; else wants "the index for" err; fi
done
[ "$(ls "$XDG_CACHE_HOME/saccade" | wc -l)" -eq 1 ] || fail "files are left over: $(ls "$XDG_CACHE_HOME/saccade")"
# Two programs at once, a folder that is none, and no home at all.
rm -r "$XDG_CACHE_HOME"
for i in 1 2 3 4; do
  "$saccade" score refs.txt said.txt --lines names --json --paraphrases table.gz >parallel.$i 2>/dev/null &
done
wait
for i in 1 2 3 4; do cmp -s parallel.$i with || fail "programs disturb each other"; done
[ "$(ls "$XDG_CACHE_HOME/saccade" | wc -l)" -eq 1 ] || fail "files are left over: $(ls "$XDG_CACHE_HOME/saccade")"
XDG_CACHE_HOME=$PWD/refs.txt score
cmp -s out with || fail "other scores without an index"
wants "at every start" err
XDG_CACHE_HOME='' HOME='' score
cmp -s out with || fail "other scores without a home"
# The table is found in the cache.
mkdir -p home/.cache/saccade
cp table.gz home/.cache/saccade/paraphrase-en.gz
expect 0 env -u SACCADE_PARAPHRASES XDG_CACHE_HOME= HOME="$PWD/home" "$saccade" score refs.txt said.txt --lines names --json
json out /meteor_tables | grep -qF "paraphrase $PWD/home/.cache/saccade/paraphrase-en.gz (" || fail "not found in the cache"

# A run that is chosen by METEOR says which, keeps to it, and is compared with its like alone.
train() { # NAME TABLE OPTION...
  local name=$1 table=$2
  shift 2
  "$saccade" train tiny.yaml --out "$name" --report-images 0 --paraphrases "$table" train.best_metric=METEOR "$@"
}
expect 0 train with-table table.gz
wants "validations of this run measure METEOR 1.5 en: exact, stem, synonym" err
wants "paraphrase table.gz (" err
wants "validations of this run measure METEOR" with-table/train.log
json with-table/manifest.json /meteor_tables | grep -qF "paraphrase table.gz (" || fail "the manifest does not say which METEOR"
expect 0 train without none seed=2
wants "no paraphrases" err
expect 4 train with-table none train.stop=30u --resume
wants "METEOR had the paraphrases" err
expect 4 train with-table other.gz train.stop=30u --resume
wants "METEOR had the paraphrases" err
expect 4 train without table.gz train.stop=30u --resume seed=2
wants "METEOR had no paraphrases (--paraphrases none)" err
expect 0 train with-table table.gz train.stop=30u --resume

expect 2 "$saccade" compare with-table without --force
wants "with-table: with the paraphrases" err
wants "without: without paraphrases" err
# Not where METEOR has chosen nothing.
expect 0 train by-bleu none train.best_metric=Bleu_4 seed=3
for table in table.gz none; do
  expect 0 "$saccade" compare with-table by-bleu --json --paraphrases $table
  json out /meteor_tables >tables
  [ $table = none ] && what="no paraphrases" || what="paraphrase table.gz ("
  wants "$what" tables
done
expect 0 "$saccade" compare with-table by-bleu --out compared --report-images 0
for file in out compared/compare.md compared/compare.tex; do wants "METEOR 1.5 en: exact, stem" $file; done
expect 0 "$saccade" evaluate with-table --split val --paraphrases table.gz --json
json out /meteor_tables | grep -qF "paraphrase table.gz (" || fail "evaluate: another METEOR"
with=$(json out /regimes/0/corpus/METEOR)
SACCADE_PARAPHRASES=table.gz expect 0 "$saccade" evaluate with-table --split val --json
[ "$(json out /regimes/0/corpus/METEOR)" = "$with" ] || fail "the variable names another table"
expect 0 "$saccade" evaluate with-table --split val
wants "no paraphrases: lower than coco-caption's METEOR, whose table comes with pip install pycocoevalcap" out

# Runs of a study are trained with the table that it names, also beside each other.
write_study
expect 0 "$saccade" compare study.yaml --out study --report-images 0 --jobs 2 --paraphrases table.gz
json study/soft/seed-1/manifest.json /meteor_tables | grep -qF "paraphrase table.gz (" || fail "a job has another METEOR"
expect 3 "$saccade" evaluate with-table --split val --paraphrases nowhere.gz
one_error "nowhere.gz: cannot be opened"

# saccade score: the files that it reads, its JSON, comparisons, and what it refuses.
. "$(dirname "${BASH_SOURCE[0]}")/support.sh"

cat >refs.json <<'JSON'
{"images": [{"id": 11, "file_name": "a.jpg"}, {"id": 22, "file_name": "b.jpg"},
            {"id": 33, "file_name": "c.jpg"}],
 "annotations": [
  {"id": 1, "image_id": 11, "caption": "A man rides a brown horse."},
  {"id": 2, "image_id": 11, "caption": "Someone is riding a horse on grass"},
  {"id": 3, "image_id": 22, "caption": "Two boats on a calm lake"},
  {"id": 4, "image_id": 22, "caption": "Small boats float on the water."},
  {"id": 5, "image_id": 33, "caption": "The cat can't reach the shelf"},
  {"id": 6, "image_id": 33, "caption": "A cat below a high shelf"}]}
JSON
cat >good.json <<'JSON'
[{"image_id": 11, "caption": "a man rides a horse"},
 {"image_id": 33, "caption": "a cat can't reach a shelf"},
 {"image_id": 22, "caption": "two boats on the water"}]
JSON
cat >bad.json <<'JSON'
[{"image_id": 11, "caption": "a dog"}, {"image_id": 22, "caption": "a dog"},
 {"image_id": 33, "caption": "the dog"}]
JSON

expect 0 "$saccade" score refs.json good.json --json --per-image images.json
cp out good.report
[ "$(json out /schema_version)" -eq 1 ] || fail "schema_version is not 1"
[ "$(json out /n_images)" -eq 3 ] || fail "n_images is not 3"
for metric in Bleu_1 Bleu_2 Bleu_3 Bleu_4 METEOR ROUGE_L CIDEr CIDEr_plain; do
  json out /corpus/$metric >/dev/null
  json images.json /2/$metric >/dev/null
done
[ "$(json images.json /1/image_id)" -eq 22 ] || fail "the images are not in the order of the references"
json out /meteor_tables | grep -q "WordNet 3.0" ||
  fail "the report does not name the source of METEOR's synonyms"
json out /meteor_tables | grep -q "no paraphrases: lower than coco-caption's METEOR" ||
  fail "the report does not say that METEOR is without paraphrases"
# The table of paraphrases is found where pycocoevalcap is installed.
table=venv/lib/python3.11/site-packages/pycocoevalcap/meteor/data/paraphrase-en.gz
mkdir -p "$(dirname $table)"
printf '0.4\non a calm lake\non the water\n0.2\nowl\nwise bird\n' | gzip >$table
for found in "env -u SACCADE_PARAPHRASES VIRTUAL_ENV=$PWD/venv" \
  "env -u SACCADE_PARAPHRASES PYTHONPATH=/none:$PWD/venv/lib/python3.11/site-packages" \
  "env SACCADE_PARAPHRASES=$table"; do
  expect 0 $found "$saccade" score refs.json good.json --json
  json out /meteor_tables | grep -qF "paraphrase " || fail "$found: no paraphrases"
  json out /meteor_tables | grep -qF "$table" || fail "$found: another table"
  [ "$(json out /corpus/METEOR)" != "$(json good.report /corpus/METEOR)" ] ||
    fail "METEOR is the same with paraphrases"
done
VIRTUAL_ENV=$PWD/venv expect 0 "$saccade" score refs.json good.json --json --paraphrases none
cmp out good.report || fail "--paraphrases none takes a table"
expect 0 "$saccade" score refs.json good.json --json --paraphrases $table
[ "$(json out /corpus/METEOR)" != "$(json good.report /corpus/METEOR)" ] ||
  fail "--paraphrases has no effect"
expect 0 "$saccade" score good.json bad.json --against refs.json --replicates 100
wants "no paraphrases: lower than coco-caption" out
# Scores are written over scores, and over nothing else.
cp good.json kept.json
expect 2 "$saccade" score refs.json good.json --per-image ./good.json
one_error "--per-image ./good.json" "the command reads this file"
expect 7 "$saccade" score refs.json good.json --per-image bad.json
one_error "bad.json: exists and is no file of scores"
expect 2 "$saccade" score refs.json good.json --per-image scores.csv
one_error "ends in .json"
cmp -s good.json kept.json || fail "the results were replaced"
expect 0 "$saccade" score refs.json good.json --json --per-image images.json
expect 0 "$saccade" score refs.json good.json --json --threads 1
cmp out good.report || fail "the scores depend on the number of threads"
expect 0 "$saccade" score refs.json good.json --intervals
wants "METEOR" out
! grep -q "METEOR: METEOR" out || fail "a line has METEOR twice"
wants "95 % bootstrap" out
wants "small sample: with fewer than 100 images" out
expect 0 "$saccade" score refs.json good.json --no-meteor
! grep -q METEOR out || fail "the report has METEOR in spite of --no-meteor"

# Text files with the same captions get the same scores.
printf 'a man rides a horse\ntwo boats on the water\na cat can'"'"'t reach a shelf\n' >good.txt
expect 0 "$saccade" score refs.json good.txt --json
cmp out good.report || fail "captions in the order of the images get other scores"
printf 'c.jpg\ta cat can'"'"'t reach a shelf\na.jpg\ta man rides a horse\nb.jpg\ttwo boats on the water\n' >named.txt
expect 0 "$saccade" score refs.json named.txt --json
cmp out good.report || fail "captions with file names get other scores"

printf 'The cat can'"'"'t reach (it)!\n' >line.txt
expect 0 "$saccade" score --tokenize line.txt
[ "$(cat out)" = "the cat ca n't reach -lrb- it -rrb- !" ] ||
  fail "the tokens are not those of the Penn Treebank"

# Systems are compared as the arms of `compare`, with the first as the reference.
expect 0 "$saccade" score good.json bad.json --against refs.json --json --replicates 500
[ "$(json out /n_images)" -eq 3 ] || fail "n_images of a comparison is not 3"
[ "$(json out /against)" = good ] || fail "the first system is not the reference"
[ "$(json out /systems/1/files/0)" = bad.json ] || fail "a system does not name its file"
json out /systems/0/corpus/Bleu_1/low >/dev/null
difference=/systems/1/corpus/CIDEr/difference
# Of three images that are all exchanged or not, no p-value is below 2 / 2^3.
[ "$(json out $difference/p)" = 0.25 ] || fail "the 8 exchanges were not enumerated"
[ "$(json out $difference/tests)" -eq 3 ] || fail "the family is not BLEU-4, METEOR and CIDEr"
json out $difference/p_holm >/dev/null
json out /verdict/0 | grep -q "bad against good: no verdict from 3 images" || fail "three images have a verdict"
cp out first.report
expect 0 "$saccade" score good.json bad.json --against refs.json --json --replicates 500 --threads 1
cmp out first.report || fail "the comparison depends on the number of threads"
cp bad.json again.json
expect 0 "$saccade" score good.json bad.json again.json --against refs.json --json --replicates 500
[ "$(json out '/systems#')" -eq 3 ] || fail "there are not three systems"
[ "$(json out $difference/tests)" -eq 6 ] || fail "two systems and three headlines are not six tests"
expect 0 "$saccade" score good.json bad.json again.json --against refs.json --json --primary CIDEr
[ "$(json out $difference/tests)" -eq 2 ] || fail "a primary metric is corrected for others"
expect 0 "$saccade" score good.json,named.txt bad.json,again.json --against refs.json --json \
  --replicates 500
[ "$(json out /systems/1/corpus/CIDEr/n)" -eq 2 ] || fail "a system does not have two runs"
# Runs that do not share seeds are not paired: their order changes nothing.
expect 0 "$saccade" score good.json,bad.json good.json,bad.json --against refs.json --json \
  --replicates 500
cp out order.report
expect 0 "$saccade" score good.json,bad.json bad.json,good.json --against refs.json --json \
  --replicates 500
[ "$(json out $difference/high)" = "$(json order.report $difference/high)" ] ||
  fail "the comparison depends on the order of unpaired runs"
expect 0 "$saccade" score good.json,bad.json good.json,bad.json --against refs.json --json \
  --replicates 500 --paired
[ "$(json out $difference/value)" = "0.0" ] ||
  fail "the difference between pairs of equal runs is not 0"
expect 2 "$saccade" score good.json,bad.json bad.json --against refs.json --paired
one_error "as many runs"
expect 2 "$saccade" score good.json bad.json --against refs.json --primary CIDer
one_error "--primary CIDer: there is no such metric"
for metric in exact_match CIDEr_external references_pointing_accuracy; do
  expect 2 "$saccade" score good.json bad.json --against refs.json --primary $metric
  one_error "--primary $metric: nothing is judged by it here; choose one of Bleu_1, Bleu_2, Bleu_3, Bleu_4, METEOR,"
  expect 2 "$saccade" score good.json bad.json --against refs.json --no-meteor --margin $metric=0.1
  one_error "--margin $metric: nothing is judged by it here; choose one of Bleu_1, Bleu_2, Bleu_3, Bleu_4, ROUGE_L,"
done
expect 2 "$saccade" score good.json bad.json --against refs.json --margin CIDEr=-1
one_error "--margin CIDEr=-1: write it as METRIC=VALUE"
# The table for LaTeX is no other file of the user's.
expect 0 "$saccade" score good.json bad.json again.json --against refs.json --latex table.tex
wants '\toprule' table.tex
[ "$(grep -c ' & ' table.tex)" -eq 4 ] || fail "the table does not have three systems"
expect 0 "$saccade" score good.json bad.json --against refs.json --latex table.tex
echo "a paper" >paper.tex
expect 7 "$saccade" score good.json bad.json --against refs.json --latex paper.tex
one_error "paper.tex: exists and is no table"
expect 2 "$saccade" score refs.json good.json --latex other.tex
one_error "--latex needs --against"
expect 2 "$saccade" score refs.json good.json --split val
one_error "has no splits"
expect 2 "$saccade" score good.json bad.json --against refs.json --replicates 100000000
one_error "--replicates must be at most"
expect 0 "$saccade" score good.json bad.json good.txt --against refs.json --replicates 500
wants "good.json" out
wants "against good.json" out
wants "equal" out
wants "no verdict from 3 images, which needs at least 20" out
! grep -q "p=0.0000" out || fail "a p-value is 0"
# Scores that can say little are marked, and the systems are named of which this holds.
wants "CIDEr *" out
wants "* CIDEr, CIDEr without D: it weighs words by how rare they are among these 3 images" out
wants "of bad.json: no caption has 3 words" out
expect 0 "$saccade" score good.json bad.json --against refs.json --json --latex table.tex
[ "$(json out /marks/0/metrics/0)" = CIDEr ] || fail "the JSON of a comparison has no marks"
wants "% CIDEr, CIDEr without D: it weighs words" table.tex

# Twenty images and more have a sentence: three systems, of which one has the captions of the first in
# another order.
awk 'BEGIN {
  split("man woman dog cat horse", who); split("rides sees holds", does); split("ball boat tree hat", what)
  for (i = 0; i < 60; ++i) {
    line = "a " who[i % 5 + 1] " " does[i % 3 + 1] " a " what[i % 4 + 1]
    print line "\tthe " who[i % 5 + 1] " " does[i % 3 + 1] " one " what[i % 4 + 1] >"many.txt"
    print line >"first.txt"
    print "a " who[i % 5 + 1] " " does[(i + 1) % 3 + 1] " a " what[(i + 1) % 4 + 1] >"second.txt"
    print (i < 2 ? "a dog" : line) >"third.txt"
  }
}'
expect 0 "$saccade" score first.txt second.txt third.txt --against many.txt --margin Bleu_4=0.1
wants "second against first: CIDEr is 5." out
wants "this run scores lower on these images, which tells nothing about other runs" out
wants "third against first: BLEU-4 is equal within 0.1 (90 % interval [" out
wants "small sample: 60 images" out
wants "after Holm for 6 tests" out

# One image has no spread: no interval, and no test.
cat >single.json <<'JSON'
{"images": [{"id": 11, "file_name": "a.jpg"}],
 "annotations": [{"id": 1, "image_id": 11, "caption": "A man rides a brown horse."}]}
JSON
echo '[{"image_id": 11, "caption": "a man rides a horse"}]' >single_good.json
echo '[{"image_id": 11, "caption": "a dog"}]' >single_bad.json
expect 0 "$saccade" score single_good.json single_bad.json --against single.json --json
for key in low high p p_holm; do
  [ "$(json out $difference/$key)" = null ] || fail "$key of a single image is a number"
done
expect 0 "$saccade" score single_good.json single_bad.json --against single.json
wants "no verdict from 1 image" out

printf 'image,caption,score\na.jpg,a man rides a horse,4\n22,a red car,1\nc.jpg,"a cat, a shelf",3\n' \
  >judged.csv
expect 0 "$saccade" score refs.json --judgements judged.csv --json
[ "$(json out /n_judgements)" -eq 3 ] || fail "n_judgements is not 3"
[ "$(json out /n_images)" -eq 3 ] || fail "the images of judgements are not counted"
for key in tau_b tau_b_low tau_c_high correlation p_williams; do json out /metrics/0/$key >/dev/null; done
[ "$(json out /replicates)" -eq 1000 ] || fail "judgements are not resampled a thousand times"
expect 0 "$saccade" score refs.json --judgements judged.csv
wants "3 judgements of 3 images" out
wants "of fewer than 20 images it is not tested" out
# Two judgements of each of 30 images, of which the better captions are liked more.
awk 'BEGIN { print "image,caption,score"
  for (i = 0; i < 30; ++i) { print i ",a dog runs on grass number " i "," 4 + i % 2; print i ",a cat," 1 + i % 3 } }' >liked.csv
awk 'BEGIN { printf "{\"images\": ["; for (i = 0; i < 30; ++i) printf "%s{\"id\": %d, \"file_name\": \"%d.jpg\"}", (i ? ", " : ""), i, i
  printf "], \"annotations\": ["
  for (i = 0; i < 30; ++i) printf "%s{\"id\": %d, \"image_id\": %d, \"caption\": \"a dog runs on the grass number %d\"}", (i ? ", " : ""), i, i, i
  print "]}" }' >thirty.json
expect 0 "$saccade" score thirty.json --judgements liked.csv
wants "60 judgements of 30 images" out
wants "Williams' test of r" out
wants "largest" out
wants "small sample: fewer than 100 images" out
wants "* CIDEr, CIDEr without D: it weighs words by how rare they are among these 30 images" out
for i in 1 2 3; do tail -n +2 liked.csv; done >more.csv
cat liked.csv more.csv >often.csv
expect 0 "$saccade" score thirty.json --judgements often.csv --no-meteor
wants "240 judgements of 30 images" out
wants "among these 30 images" out
expect 0 "$saccade" score thirty.json --judgements liked.csv --json --no-meteor
[ "$(json out /marks/0/metrics/0)" = CIDEr ] || fail "the JSON of judgements has no marks"
# Judgements are a table as others are, and what it was read as is said.
sed 's/,/;/g; s/score/Human Score/; s/^image/file_name/' liked.csv >liked.txt
expect 0 "$saccade" score thirty.json --judgements liked.txt --json --no-meteor
[ "$(json out /n_judgements)" -eq 60 ] || fail "judgements with semicolons are not read"
wants "judgements: liked.txt, read as a table with semicolons (file_name, caption, Human Score): 60 judgements" err
expect 0 "$saccade" score refs.json --human
wants "3 images, each of 2 references" out
[ "$(grep -vc '^info: ' err)" -eq 0 ] ||
  fail "references without faults gave a note"
printf 'one\ta one\ntwo\ntwo\ta two\n' >some.txt
expect 0 "$saccade" score some.txt --human --json
wants "some.txt: 1 image has fewer than two references and is left out" err
[ "$(json out /left_out)" -eq 1 ] || fail "left_out is not 1"

# What the files were read as is said; where lines have two readings, an option decides.
printf 'a.jpg\tone boat\nb.jpg\ttwo boats\n' >named.tsv
printf '1 boat sails\n2 boats sail\n' >numbers.txt
expect 2 "$saccade" score named.tsv numbers.txt
one_error "numbers.txt: its lines can be read in two ways" "--lines captions"
expect 0 "$saccade" score named.tsv numbers.txt --lines captions
wants "references: named.tsv, read as lines of an image, a tab and a caption: 2 images, 2 captions" err
wants "results: numbers.txt, read as plain lines" err
expect 2 "$saccade" score named.tsv numbers.txt --lines words
one_error "--lines must be names or captions"
expect 3 "$saccade" score named.tsv --human
one_error "no image has two references"

# A candidate of 10,000 words, captions with line ends and empty captions are scored, with a note on each.
{
  printf '[{"image_id": 11, "caption": "'
  yes horse | head -n 10000 | tr '\n' ' '
  printf '"}, {"image_id": 22, "caption": "two\\rboats"}, {"image_id": 33, "caption": ""}]'
} >odd.json
expect 0 "$saccade" score refs.json odd.json
wants "odd.json: 1 caption holds line ends" err
wants "odd.json: 1 caption without a word: c.jpg" err
printf '[{"image_id": 11, "caption": "a horse"}]' >one.json
expect 0 "$saccade" score refs.json one.json
wants "2 images have no caption and are not scored: b.jpg, c.jpg" err

# refused TEXT FILE: fails unless FILE is refused with one line that has TEXT.
refused() {
  expect 3 "$saccade" score refs.json "$2"
  one_error "$1" "$2"
}
printf '[{"image_id": 11, "caption": "a"}, {"image_id": 11, "caption": "b"}, {"image_id": 5, "caption": "c"}]' >twice.json
refused "unknown: 5; 1 image with several captions: a.jpg" twice.json
printf '[{"image_id": 11.5, "caption": "a"}]' >float.json
refused "[0].image_id: expected an integer" float.json
printf '[{"image_id": 11, "caption": 5}]' >number.json
refused "[0].caption: expected a string" number.json
printf '[\n{"image_id": 11,, "caption": "a"}]' >broken.json
refused "broken.json:2: broken JSON at byte" broken.json
printf '[{"image_id": 11, "caption": "\377"}]' >bytes.json
refused "broken JSON" bytes.json
refused "wrong order" refs.json
printf 'one line\n' >short.txt
refused "has 1 caption without" short.txt
refused "no such file" missing.json
expect 3 "$saccade" score good.json one.json --against refs.json
wants "the same images" err
expect 2 "$saccade" score good.json, bad.json --against refs.json
one_error "'good.json,' holds an empty name"
expect 2 "$saccade" score good.json,./good.json bad.json --against refs.json
one_error "./good.json is there twice"
printf '{"ref_len": 1, "df": {"a": 3}}' >df.json
expect 3 "$saccade" score refs.json good.json --document-frequencies df.json
one_error "df.json: df.a: in 3 images of 1"
printf "(dp1\nS'document_frequency'\n" >df.p
expect 3 "$saccade" score refs.json good.json --document-frequencies df.p
one_error "df.p: is a Python pickle" '{"ref_len": 40504, "df": {'
expect 3 "$saccade" score refs.json good.json --document-frequencies refs.json
one_error "refs.json: holds captions, and no document frequencies" '{"ref_len": 40504, "df": {'
expect 3 "$saccade" score refs.json good.json --document-frequencies line.txt
one_error "line.txt: is no JSON" '{"ref_len": 40504, "df": {'
# Other words for splits, and words for none where no split is wanted.
printf 'image,caption,split\na.jpg,a horse,dev\nb.jpg,a boat,eval\n' >splits.csv
printf 'image,caption\na.jpg,a horse\n' >horse.csv
expect 0 "$saccade" score splits.csv horse.csv
expect 3 "$saccade" score splits.csv horse.csv --split validation
one_error "splits.csv:3: unknown split 'eval'"
sed -i 's/eval/test/' splits.csv
expect 0 "$saccade" score splits.csv horse.csv --split dev
expect 2 "$saccade" score refs.json
one_error "REFERENCES and RESULTS"
expect 2 "$saccade" score refs.json --human --judgements judged.csv
one_error "exclude each other"
expect 2 "$saccade" score good.json bad.json --against refs.json --intervals
one_error "--intervals needs"
expect 2 "$saccade" score refs.json good.json --paired
one_error "--paired needs --against"
expect 2 "$saccade" score refs.json good.json --no-meteor --synonyms mine.txt.gz
one_error "--no-meteor"
expect 2 "$saccade" score good.json bad.json --against refs.json --level 2
one_error "level"

# Captions in order that begin with the names of the images may be named.
printf 'image,caption\na,dog runs on grass\nb,two kids play\nc,a red car\n' >letters.csv
printf 'a dog runs on grass\nb two kids play\nc a red car\n' >letters.txt
expect 2 "$saccade" score letters.csv letters.txt --no-meteor
one_error "letters.txt: its lines can be read in two ways" "--lines names"
expect 0 "$saccade" score letters.csv letters.txt --no-meteor --lines captions
sed 's/^/(/; s/ /) /' letters.txt >brackets.txt
expect 2 "$saccade" score letters.csv brackets.txt --no-meteor
printf 'a dog runs on grass\na kid plays\nc is a red car\n' >plain.txt
expect 0 "$saccade" score letters.csv plain.txt --no-meteor
# Marks of decoders at the ends of captions are told, because they are scored.
for mark in '<s>' 'Caption:' '[CLS]' startseq; do
  sed "s/^/$mark /" plain.txt >marked.txt
  expect 0 "$saccade" score letters.csv marked.txt --no-meteor --lines captions
  wants "marked.txt: captions begin or end with '$mark', which is scored as a part of them" err
done
for mark in '<end>' '</s>' '[SEP]' '<pad> <pad>' '<|endoftext|>' endseq; do
  sed "1,2s@\$@ $mark@; 3s/.*//" plain.txt >marked.txt
  expect 0 "$saccade" score letters.csv marked.txt --no-meteor --lines captions
  wants "marked.txt: captions begin or end with '${mark%% *}', which is scored as a part of them" err
done
sed 's/^/<bos> /; s/$/ <eos>/' plain.txt >marked.txt
expect 0 "$saccade" score letters.csv marked.txt --no-meteor --lines captions
wants "marked.txt: captions begin or end with '<bos>', '<eos>', which are scored as a part of them" err
expect 0 "$saccade" score letters.csv plain.txt --no-meteor
! grep -q "captions begin or end" err || fail "captions without a mark have one"
# The name of a picture in brackets behind a caption is no word of it, and ||| stands between references.
printf 'a dog runs (b.jpg)\na cat sits (a.jpg)\n' >behind.txt
printf 'image,caption\na.jpg,a cat sits\nb.jpg,a dog runs\n' >before.csv
expect 3 "$saccade" score before.csv behind.txt --no-meteor
one_error "behind.txt:1: 'a dog runs (b.jpg)' has the name of a file"
printf 'a dog runs\ta dog is running\na cat sits\ta cat\n' >tabs.txt
sed 's/\t/ ||| /' tabs.txt >bars.txt
printf 'a dog is running\na cat sits\n' >two.txt
for references in tabs.txt bars.txt; do
  expect 0 "$saccade" score $references two.txt --json
  cp out $references.json
done
wants "references: bars.txt, read as plain lines: in each, the references of one image, with ||| between: 2 images, 4 captions" err
cmp -s tabs.txt.json bars.txt.json || fail "references with ||| between have other scores"
# A whole text is no caption.
{ echo image,caption; printf 'a,'; yes 'a red field' | head -n 4000 | tr '\n' ' '; echo; echo b,a dog; } >book.csv
expect 3 "$saccade" score letters.csv book.csv
one_error "book.csv: the caption of a that begins 'a red field a red fi' has more than 10000 words"

# Files that cannot be meant say what is meant.
expect 0 "$saccade" score good.json good.json --against refs.json --replicates 100
wants "good.json: has the captions of good.json again; is one file given twice?" err
printf 'image_id;caption;score\n11;a horse;3,5\n' >comma.csv
expect 3 "$saccade" score refs.json --judgements comma.csv
one_error "comma.csv:2: score must be a number; got '3,5'; write it with a point, as in 3.5"
for id in '["11"]' true '{"id": 11}'; do
  echo "[{\"image_id\": $id, \"caption\": \"a horse\"}]" >odd.json
  expect 3 "$saccade" score refs.json odd.json
  one_error "odd.json: [0].image_id: expected an image's name or number" "got "
done
printf "{'image_id': 11, 'caption': 'a horse'}\n{'image_id': 22, 'caption': 'a boat'}\n" >python.txt
cp python.txt python.jsonl
for file in python.txt python.jsonl; do
  expect 3 "$saccade" score refs.json $file
  one_error "$file:1: broken JSON" "write the file with Python's json.dump"
done
printf 'a dog\na cat\n' >two_refs.txt
printf 'a dog\na cat\n\n\n' >ends.txt
expect 0 "$saccade" score two_refs.txt ends.txt --no-meteor
wants "results: ends.txt, read as plain lines: in each, the caption of one image, in the references' order: 4 images, 4 captions, of which 2 are empty" err
# Tables that are none of METEOR's would change scores in silence.
echo '<!DOCTYPE html><html>' >page.html
: >empty.txt
printf 'dog 1\ncat 2\n' >unsorted.txt
echo '[1, 2]' >list.json
for file in page.html empty.txt unsorted.txt list.json; do
  expect 3 "$saccade" score refs.json good.json --synonyms $file
  one_error "$file"
  expect 3 "$saccade" score refs.json good.json --paraphrases $file
  one_error "$file"
  expect 3 "$saccade" score refs.json good.json --document-frequencies $file
  one_error "$file"
  expect 3 "$saccade" score refs.json --judgements $file
  one_error "$file"
done

# How words are learned and decoded: smoothed labels, scheduled sampling, pieces of words, ensembles,
# alternatives, and combinations of options that are refused.
. "$(dirname "${BASH_SOURCE[0]}")/support.sh"

# A run with both options has the same result with any number of threads and in parts, and another one
# with only one of the options.
set -- objective.label_smoothing=0.1 "objective.scheduled_sampling=0 -> 0.5 over 12u"
for selection in soft hard; do
  expect 0 "$saccade" train tiny.yaml --out $selection "$@" attention.selection=$selection --threads 1
  for threads in 2 4; do
    expect 0 "$saccade" train tiny.yaml --out $selection-$threads "$@" \
      attention.selection=$selection --threads $threads
    [ "$(digest $selection-$threads)" = "$(digest $selection)" ] ||
      fail "the result differs with $threads threads"
  done
done
expect 0 "$saccade" train tiny.yaml --out part "$@" train.stop=13u
expect 0 "$saccade" train tiny.yaml --out part "$@" --resume
[ "$(digest part)" = "$(digest soft)" ] || fail "the result of the resumed run differs"
for one in "$1" "$2"; do
  expect 0 "$saccade" train tiny.yaml --out one "$one"
  [ "$(digest one)" != "$(digest soft)" ] || fail "the other option has no effect beside $one"
  rm -r one
done

refused() {
  local text=$1
  shift
  expect 2 "$saccade" config check tiny.yaml "$@"
  one_error "$text"
}
refused "likelihood choice" objective.label_smoothing=0.1 attention.selection=hard \
  attention.hard.likelihood=marginal
refused "label_smoothing has no effect" objective.label_smoothing=0.1 \
  objective.self_critical.start=0u
refused "scheduled_sampling has no effect" objective.scheduled_sampling=0.1 \
  objective.self_critical.start=0u
refused "does not divide search.beam 4" search.groups=3 search.diversity=1 search.beam=4
refused "needs search.groups above 1" search.diversity=1
refused "needs search.diversity above 0" search.groups=2
refused "search.mode is greedy" search.groups=2 search.diversity=1 search.mode=greedy
refused "search.mode is beam" search.top_k=5
refused "data.vocabulary words" data.vocabulary=bpe "search.forbidden=[a]"
refused "vectors are of whole words" data.vocabulary=bpe decoder.embeddings.source=file

# Every command that trains refuses an option that is set on purpose and never read. It does not refuse an
# option that was set before the choice that leaves it unread, nor one that an arm inherits and another arm
# reads.
expect 0 "$saccade" config check tiny.yaml data.vocabulary=bpe
[ ! -s err ] || fail "an inherited value that is not read was reported"
for command in "config check tiny.yaml" "train tiny.yaml --out idle" "compare tiny.yaml --out idle"; do
  expect 2 "$saccade" $command data.bpe_size=500 attention.hard.samples=2
  wants "command line: data.bpe_size has no effect: data.vocabulary is words" err
  wants "command line: attention.hard.samples has no effect: attention.selection is soft" err
  [ ! -e idle ] || fail "$command left files behind"
done
# What `config show` prints is a valid config.
expect 0 "$saccade" config show tiny.yaml encoder.type=vit encoder.positions=learned encoder.vit.patch=8
cp out shown.yaml
expect 0 "$saccade" config check shown.yaml
cat >arms.yaml <<'YAML'
base: tiny.yaml
attention: {selection: hard, hard: {baseline: leave_one_out, samples: 2}}
compare: {arms: {hard: {}, soft: {attention.selection: soft}, pieces: {data.vocabulary: bpe}}}
YAML
expect 0 "$saccade" config check arms.yaml
[ ! -s err ] || fail "an inherited value that is not read was reported"
expect 2 "$saccade" train tiny.yaml --out none "search.forbidden=[a, squar]"
one_error "search.forbidden: 'squar' is not in the vocabulary (did you mean 'square'?)"
[ ! -e none ] || fail "a refused run left its directory behind"
expect 0 "$saccade" train tiny.yaml --out cut data.max_length=3 train.stop=2u search.max_length=4
wants "training captions (" err
wants "are cut to data.max_length, 3 words" err
grep -q "search.max_length" err && fail "captions of at most 3 words were reported as longer than 4"

# With pieces of words, a checkpoint needs no other file for decoding.
expect 0 "$saccade" train tiny.yaml --out bpe data.vocabulary=bpe data.bpe_size=48 \
  search.max_length=16 --threads 1
expect 0 "$saccade" evaluate bpe --split val --json
[ "$(json out /unknown_share)" = 0.0 ] || fail "with pieces, words of the captions are unknown"
expect 0 "$saccade" overlay bpe --count 1 --out drawn --alignment
picture=$(ls drawn/*.sheet.png)
expect 0 "$saccade" caption bpe "$picture" --json
json out /0/words/0/attention/0/0 >/dev/null
grep -q $'\xe2\x96\x81' out && fail "the JSON has the mark of a piece"
expect 0 "$saccade" convert bpe bpe.safetensors
expect 0 "$saccade" convert bpe.safetensors back.h5
expect 0 "$saccade" caption back.h5 "$picture"
expect 0 "$saccade" train tiny.yaml --out rewarded data.vocabulary=bpe data.bpe_size=48 \
  objective.self_critical.start=4u train.stop=8u objective.self_critical.samples=2
grep -q "training captions (.* %) are longer than search.max_length, 8 pieces of words" err ||
  fail "there is no warning of captions that are too long for search"
expect 0 "$saccade" data tiny.yaml data.vocabulary=bpe data.bpe_size=48 --json
[ "$(json out /too_long_captions)" -gt 0 ] || fail "no caption was counted as too long for search"
[ "$(json out '/piece_lengths#')" -gt "$(json out '/lengths#')" ] ||
  fail "captions are not longer in pieces than in words"
expect 0 "$saccade" data tiny.yaml data.vocabulary=bpe data.bpe_size=48
wants "pieces per training caption" out
expect 0 "$saccade" evaluate rewarded --split val
wants "at most 8 pieces of words" out
expect 3 "$saccade" train tiny.yaml --out few data.vocabulary=bpe data.bpe_size=10 data.min_count=5
one_error "set data.bpe_size to"

# The members of an ensemble share a vocabulary. Everything else may differ.
expect 0 "$saccade" train tiny.yaml --out other attention.score=scaled_dot decoder.type=gru seed=7 \
  "encoder.channels=[8, 8, 8, 12]" train.stop=12u
expect 0 "$saccade" evaluate soft,other --split val --json
[ "$(json out /members/1)" = other ] || fail "the report does not name its members"
expect 0 "$saccade" caption hard,other,soft "$picture" --json --mode greedy
[ "$(json out /0/members/2)" = soft ] || fail "captions do not name the models"
[ "$(json out /0/regime)" = expectation ] || fail "the regime is not one that all members have"
expect 0 "$saccade" overlay soft,other --count 1 --out together
expect 2 "$saccade" caption soft,bpe "$picture"
one_error "soft and bpe do not share a vocabulary"
expect 2 "$saccade" overlay soft,other --count 1 --alignment
one_error "needs a single model"
expect 2 "$saccade" caption soft,,other "$picture"
one_error "has no name"

# --alternatives prints the other hypotheses of a beam.
expect 0 "$saccade" caption soft "$picture" --beam 6 --alternatives 4
[ "$(grep -c "^ *[1-4]  log p *-[0-9.]*  [a-z ]*$" out)" -ge 2 ] || fail "there are no alternatives"
set -- --beam 6 --set search.groups=3 --set search.diversity=0.5
expect 0 "$saccade" caption soft "$picture" "$@" --alternatives 4 --json
json out /0/alternatives >/dev/null
expect 0 "$saccade" evaluate soft --split val "$@"
wants "beam 6 in 3 groups, diversity 0.5" out
expect 2 "$saccade" caption soft "$picture" --alternatives 3
one_error "give --beam 3 or more"
expect 2 "$saccade" caption soft "$picture" --mode greedy --alternatives 2
one_error "search.mode is greedy"
expect 0 "$saccade" evaluate soft --split val --samples 2 --set search.top_k=5
expect 2 "$saccade" evaluate soft --split val --set search.top_k=5
one_error "set search.mode to sample"
exit 0

# Texts instead of images: training, scores by length, captions and matrices; and commands that need
# pictures say so.
. "$(dirname "${BASH_SOURCE[0]}")/support.sh"

cat >tiny.yaml <<'YAML'
name: tiny
data:
  type: sequences
  min_count: 1
  max_length: 8
  sequences: {task: reverse, train: 48, val: 8, test: 40, symbols: 4, shortest: 2, longest: 6}
encoder: {type: bigru, text: {length: 6, width: 12}}
attention: {score: additive, gate: none, hidden: 16}
decoder: {type: gru, hidden: 24, embedding: 16, init_hidden: 16, dropout: 0.2}
objective: {doubly_stochastic: 0}
optimizer: {type: adam, lr: 5e-3, clip_norm: 5}
train: {batch: 8, shard: 4, stop: 24u, validate_every: 10u, checkpoint_every: 8u, best_metric: token_accuracy}
search: {mode: beam, beam: 2, max_length: 8}
YAML
expect 0 "$saccade" config check tiny.yaml
wants ": no mistakes" out
expect 0 "$saccade" data tiny.yaml --out sheets
[ -f sheets/test.png ] || fail "no contact sheet"

# Neither the number of threads nor resuming changes a bit.
same_bits gru
transformer=(encoder.type=text_transformer encoder.positions=learned encoder.text.heads=2 encoder.text.dropout=0.1)
same_bits transformer "${transformer[@]}"

expect 0 "$saccade" evaluate gru
wants "by the length of the text" out
wants "exact match" out
# Of texts, whether they are right comes first, and n-grams are a detail.
sed -n '2,/^details/p' out >headlines
wants "exact match" headlines
for metric in BLEU-4 METEOR CIDEr; do
  ! grep -q "^$metric  " headlines || fail "$metric is a headline of texts"
  grep -q "^$metric  " out || fail "$metric is missing among the details"
done
expect 0 "$saccade" evaluate gru --no-ablations --plots plots
wants "tokens of the text; lines: 95 % intervals over texts" plots/groups.length.svg
# Of eight texts, no group says anything.
expect 0 "$saccade" evaluate gru --no-ablations --split val --plots none
wants "no easy and hard texts by tokens of the text: two groups of at least 10 texts each are needed, and there are 8 texts" out
wants "--plots: nothing was drawn, because easy and hard texts need two groups of at least 10 texts each" err
[ ! -e none ] || fail "a folder for no plots"
expect 0 "$saccade" evaluate transformer --json
json out /regimes/0/by_length/0/token_accuracy >/dev/null
json out /regimes/0/corpus/exact_match >/dev/null

expect 0 "$saccade" caption gru "A b c" "d"
wants "A b c: " out
wants "d: " out
expect 3 "$saccade" caption gru "a b z"
one_error "does not know 'z'"
expect 3 "$saccade" caption gru "a b c d a b c d"
one_error "at most 6"
expect 0 "$saccade" caption gru "a b c" --json
[ "$(json out /0/tokens/2)" = c ] || fail "the JSON has no tokens"

expect 0 "$saccade" overlay gru "a b c" --out matrices
[ -f matrices/a_b_c.alignment.png ] || fail "no matrix"
wants "token of the text" matrices/a_b_c.alignment.svg
[ -e matrices/a_b_c.sheet.png ] && fail "a sheet of a text"
expect 0 "$saccade" overlay transformer --count 1 --alignment --out matrices
[ -f matrices/text-test-0.encoder.layer-0.head-1.png ] || fail "no matrix of the encoder"
expect 0 "$saccade" overlay gru "a b c" --with transformer --out both
expect 0 "$saccade" report gru transformer --images 2 --out page.html
wants '"tokens":["' page.html

expect 0 "$saccade" train tiny.yaml --out other --fast-dev-run data.sequences.task=sort
expect 2 "$saccade" report gru other --images 2 --out page.html
one_error "a report shows models of the same data" "gru was trained on sequences-reverse" "other was trained on sequences-sort"
expect 3 "$saccade" caption gru "a b z"
! grep -q "did you mean" err || fail "a letter is suggested for another letter"

# The heads of a text's encoder have names, and the model can do without them.
expect 0 "$saccade" inspect transformer --heads --images 2
wants "encoder.0.1" out
expect 0 "$saccade" caption transformer "a b c" --without encoder.0.1
wants "with all heads: " out

# A checkpoint for captioning alone knows the tokens, too.
expect 0 "$saccade" convert --half gru half.h5
expect 0 "$saccade" caption half.h5 "a b c"

# With few texts to train on, all tokens of the task are known.
expect 0 "$saccade" train tiny.yaml --out dates --fast-dev-run data.sequences.task=dates encoder.text.length=10
expect 0 "$saccade" caption dates "Wednesday the thirty-first of October nineteen seventeen"

# One vector instead of attention.
expect 0 "$saccade" train tiny.yaml --out vector --fast-dev-run decoder.image=every_word encoder.pooled=last_state
expect 2 "$saccade" overlay vector "a b c"
one_error "no attention to draw"

expect 2 "$saccade" serve gru
one_error "serve needs a model of pictures"
mkdir inbox
expect 2 "$saccade" caption gru --watch inbox
one_error "--watch needs a model of pictures"
expect 2 "$saccade" inspect transformer --patches
one_error "--patches needs a model of pictures"
expect 2 "$saccade" evaluate gru --boxes inbox
one_error "texts have no boxes"
expect 2 "$saccade" train tiny.yaml --out none encoder.type=cnn
one_error "data.type sequences consists of texts" "choose encoder.type bigru or text_transformer"
expect 2 "$saccade" train tiny.yaml --out none encoder.text.length=5
one_error "the longest text of data.sequences has 6"
expect 2 "$saccade" train tiny.yaml --out none encoder.image_size=32
one_error "encoder.image_size has no effect"
exit 0

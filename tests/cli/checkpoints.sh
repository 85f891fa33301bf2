# Checkpoints that are missing, cut short, damaged or not written by this program give exit code 4 and one
# line.
. "$(dirname "${BASH_SOURCE[0]}")/support.sh"

expect 0 "$saccade" train tiny.yaml --out run train.stop=4u
good=run/checkpoints/last
expect 0 "$saccade" inspect $good
wants "decoder." out
wants "vocabulary: " out
# Only what was chosen is shown, without --all.
wants "decoder.hidden: 24" out
! grep -q "decoder.layers" out || fail "inspect shows a value that nothing reads"
[ "$(wc -l <out)" -lt 70 ] || fail "inspect prints more than one screen or two"
expect 0 "$saccade" inspect $good --all
wants "  layers: 3" out
[ "$(wc -l <out)" -gt 150 ] || fail "inspect --all does not show all values"
expect 0 "$saccade" inspect run --json
for key in /parameters/0/shape /parameters_digest /parameter_count /vocabulary_size /grid/rows \
  /state/update /config; do
  json out $key >/dev/null
done

for command in inspect evaluate overlay; do
  expect 4 "$saccade" $command missing.h5
  one_error "missing.h5"
done
mkdir empty
expect 4 "$saccade" inspect empty
one_error "empty"

size=$(stat -L -c %s $good)
for bytes in 0 100 511 512 600 $((size / 2)) $((size - 1)); do
  head -c $bytes $good >cut.h5
  expect 4 "$saccade" inspect cut.h5
  one_error "cut.h5"
done
for place in 3 20 300 600 $((size / 3)) $((size - 2)); do
  cp -L $good flipped.h5
  byte=$(od -An -tu1 -j $place -N 1 flipped.h5)
  printf "\\$(printf %o $((byte ^ 16)))" |
    dd of=flipped.h5 bs=1 seek=$place conv=notrunc status=none
  expect 4 "$saccade" inspect flipped.h5
  one_error "flipped.h5"
done
cat $good $good >longer.h5
expect 4 "$saccade" inspect longer.h5
one_error "longer.h5"
tail -c +513 $good >foreign.h5 # a plain HDF5 file
expect 4 "$saccade" evaluate foreign.h5
one_error "foreign.h5"
expect 4 "$saccade" evaluate tiny.yaml
one_error "tiny.yaml"

# Options that do not fit the checkpoint are refused.
expect 4 "$saccade" evaluate run --set decoder.hidden=12
one_error "decoder"
expect 2 "$saccade" evaluate run --set search.baem=2
one_error "did you mean 'beam'?"
expect 2 "$saccade" evaluate run --set optimizer.lr=1
one_error "set optimizer.lr=1 has no effect: the model is trained already"
exit 0

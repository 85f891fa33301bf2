# Checkpoints are converted to safetensors and back without changing a bit. Files that are neither are
# refused.
. "$(dirname "${BASH_SOURCE[0]}")/support.sh"

expect 0 "$saccade" train tiny.yaml --out run train.stop=4u
expect 0 "$saccade" convert run run.safetensors --json
[ "$(json out /bytes)" -eq "$(stat -c %s run.safetensors)" ] || fail "bytes is not the size of the file"
wants "run.safetensors" out
expect 0 "$saccade" convert run.safetensors back.h5
cmp -s run/checkpoints/last back.h5 || fail "the conversion there and back changed the checkpoint"
expect 0 "$saccade" convert back.h5 again.safetensors
cmp -s run.safetensors again.safetensors || fail "equal checkpoints were converted to different files"
expect 0 "$saccade" inspect back.h5
grep -qa '"encoder.stage1.conv.weight":{"dtype":"F32","shape":\[8,3,3,3\]' run.safetensors ||
  fail "the kernel does not have PyTorch's layout"

# --encoder writes the encoder alone, with the names that encoder.weights reads. Those of a vision
# transformer are timm's.
vit=(encoder.type=vit encoder.positions=learned encoder.vit.width=12 encoder.vit.layers=1
  encoder.vit.heads=2 encoder.vit.patch=8)
expect 0 "$saccade" train tiny.yaml --out vit train.stop=2u "${vit[@]}"
expect 0 "$saccade" convert --encoder vit vit.safetensors
for name in cls_token pos_embed patch_embed.proj.weight blocks.0.attn.qkv.weight norm.bias; do
  grep -qa "\"$name\":" vit.safetensors || fail "the encoder has no $name"
done
grep -qa decoder vit.safetensors && fail "the file holds weights of the decoder, too"
expect 0 "$saccade" train tiny.yaml --out started train.stop=2u "${vit[@]}" \
  encoder.weights=vit.safetensors encoder.lr=0
expect 0 "$saccade" convert --encoder --force started again.safetensors
cmp -s vit.safetensors again.safetensors || fail "the weights of an encoder that is not trained changed"

# Weights of another network: everything that does not fit is reported. Missing weights keep their random
# numbers if encoder.weights_strict is false.
deeper=("${vit[@]}" encoder.vit.layers=2 encoder.weights=vit.safetensors)
expect 3 "$saccade" train tiny.yaml --out deeper train.stop=1u "${deeper[@]}"
wants "missing: blocks.1." err
rm -rf deeper
expect 0 "$saccade" train tiny.yaml --out deeper train.stop=1u "${deeper[@]}" encoder.weights_strict=false
wants "12 missing: blocks.1." err
expect 3 "$saccade" train tiny.yaml --out wider train.stop=1u "${vit[@]}" encoder.vit.width=16 \
  encoder.weights=vit.safetensors encoder.weights_strict=false
wants "of another shape" err
expect 3 "$saccade" train tiny.yaml --out frozen train.stop=1u "${deeper[@]}" encoder.weights_strict=false \
  encoder.frozen_stages=-1
wants "would freeze random numbers" err

# A run that trains the encoder may start from one that had the same encoder frozen: its captions are then
# the same, as long as nothing was learned. With other weights of the encoder it is refused.
started=("${vit[@]}" encoder.weights=vit.safetensors train.init_from=before optimizer.lr=1e-12)
expect 0 "$saccade" train tiny.yaml --out before "${vit[@]}" encoder.weights=vit.safetensors encoder.frozen_stages=-1
expect 0 "$saccade" train tiny.yaml --out finetuned train.stop=1u "${started[@]}"
for run in before finetuned; do
  expect 0 "$saccade" evaluate "$run" --split val --no-ablations --regime expectation --out "$run.json"
done
cmp -s before.json finetuned.json || fail "the decoder's weights did not come along"
expect 0 "$saccade" train tiny.yaml --out other seed=2 train.stop=1u "${vit[@]}"
expect 0 "$saccade" convert --encoder other seed-2.safetensors
expect 4 "$saccade" train tiny.yaml --out refused "${started[@]}" encoder.weights=seed-2.safetensors
wants "preprocessing of the frozen encoder" err

# `inspect` lists what a file of weights contains.
expect 0 "$saccade" inspect vit.safetensors
grep -qE "^patch_embed.proj.weight +F32 +12 x 3 x 8 x 8$" out || fail "no kernel of patches in torch's layout"
expect 0 "$saccade" inspect vit.safetensors --json
[ "$(json out /tensors/0/type)" = F32 ] || fail "the type of a tensor is not F32"
json out /tensors/0/name >/dev/null
expect 0 "$saccade" inspect run.safetensors
wants "metadata " out
expect 3 "$saccade" inspect missing.safetensors
one_error "missing.safetensors"
expect 2 "$saccade" inspect vit.safetensors --heads
one_error "not for ONNX files or weights"

# A file is replaced only with --force.
cp run.safetensors kept.safetensors
for options in "vit kept.safetensors" "--encoder vit kept.safetensors" "run.safetensors back.h5"; do
  expect 7 "$saccade" convert $options
  one_error "exists" "--force"
done
cmp -s run.safetensors kept.safetensors || fail "a file was replaced without --force"
expect 0 "$saccade" convert --force vit kept.safetensors
cmp -s run.safetensors kept.safetensors && fail "--force did not replace the file"
expect 2 "$saccade" convert --encoder run other.safetensors
one_error "no published weights"
expect 2 "$saccade" convert --encoder vit other.h5
one_error "convert --encoder goes"

expect 2 "$saccade" convert run other.h5
one_error "convert goes between"
expect 2 "$saccade" convert run.safetensors other.safetensors
one_error "convert goes between"
expect 3 "$saccade" convert missing.safetensors other.h5
one_error "missing.safetensors"
expect 4 "$saccade" convert missing.h5 other.safetensors
one_error "missing.h5"
size=$(stat -c %s run.safetensors)
for bytes in 0 7 100 $((size / 2)) $((size - 1)); do
  head -c $bytes run.safetensors >cut.safetensors
  expect 3 "$saccade" convert cut.safetensors other.h5
  one_error "cut.safetensors"
done
# A device that takes nothing fails every way of writing to it.
ln -s /dev/full full.safetensors
expect 5 "$saccade" convert run full.safetensors --force
one_error "full.safetensors: No space left on device"
expect 5 "$saccade" convert run /dev/full --half --force
one_error "/dev/full: No space left on device"
"$saccade" convert run other.safetensors >/dev/full 2>err
[ $? -eq 5 ] || fail "the path of the file was lost without an error"
rm other.safetensors
# Safetensors that do not come from a checkpoint cannot become one.
printf '\x02\x00\x00\x00\x00\x00\x00\x00{}' >plain.safetensors
expect 3 "$saccade" convert plain.safetensors other.h5
one_error "plain.safetensors" "only weights"
[ ! -e other.h5 ] && [ ! -e other.safetensors ] || fail "a refused conversion left a file"
exit 0

# Files of other programs: every command that opens weights, networks or models says in one line what it
# was given. Damage to safetensors of our own is noticed.
. "$(dirname "${BASH_SOURCE[0]}")/support.sh"

printf 'PK\003\004\000\000\000\000\000\000net/data.pkl' >torch.pth
printf '\200\002\212\012\154\374\234\106\371\040\152\250\120\031.' >old.pth
printf '\223NUMPY\001\000v\000' >array.npy
printf '{"metadata": {}, "weight_map": {"a": "model-00001-of-00002.safetensors"}}' >index.json
printf 'version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 9\n' >pointer
printf '<!DOCTYPE html>\n<html><body>Sign in</body></html>' >page
printf '\037\213\010\000\000\000\000\000\000\003' >packed.gz
printf '\010\007\022\007pytorch' >network
while IFS='|' read -r file text read; do
  cp "$file" as.safetensors
  cp "$file" as.onnx
  # Containers of weights are opened, and what is wrong in them is said.
  weights=${read:-$text}
  resnet=(encoder.type=resnet18 encoder.layer=layer1 encoder.image_size=32)
  for frozen in -1 0; do
    expect 3 "$saccade" train tiny.yaml --out x "${resnet[@]}" encoder.weights="$file" encoder.frozen_stages=$frozen
    one_error "$file" "$weights"
  done
  if [ "$file" != network ]; then
    expect 3 "$saccade" train tiny.yaml --out x encoder.type=onnx_native encoder.model="$file" encoder.layer=x
    one_error "$file" "$text"
  fi
  expect 3 "$saccade" inspect as.safetensors
  one_error as.safetensors "$weights"
  expect 3 "$saccade" convert as.safetensors made.h5
  one_error as.safetensors "$text"
  expect $([ "$read" ] && echo 3 || echo 4) "$saccade" inspect "$file"
  one_error "$file" "$weights"
  for command in "caption $file x.jpg" "evaluate $file" "convert $file made.safetensors"; do
    expect 4 "$saccade" $command
    one_error "$file" "$text"
  done
  [ "$file" = network ] && continue
  expect 3 "$saccade" inspect as.onnx
  one_error as.onnx "$text"
done <<'FILES'
torch.pth|it is a PyTorch file|the zip archive is cut
old.pth|it is a PyTorch file|pickle is damaged
array.npy|it is a NumPy array
index.json|it is the index of weights|a part of the weights is in it
pointer|run git lfs pull
page|it is a web page
packed.gz|it is compressed (gzip)
network|it is an ONNX model
FILES
[ ! -e made.h5 ] && [ ! -e made.safetensors ] || fail "a file was made of what could not be read"

# A bit of the numbers, and one of the texts.
expect 0 "$saccade" train tiny.yaml --out run train.stop=2u
expect 0 "$saccade" convert run run.safetensors
expect 0 "$saccade" inspect run.safetensors
wants "digest: right" out
bytes=$(stat -c %s run.safetensors)
for at in $((bytes - 5)) $((bytes / 2)) 200; do
  cp run.safetensors flipped.safetensors
  byte=$(tail -c +$((at + 1)) run.safetensors | head -c 1 | od -An -tu1)
  printf "\\$(printf %03o $((byte ^ 1)))" | dd of=flipped.safetensors bs=1 seek=$at conv=notrunc 2>dd.log
  for command in "convert flipped.safetensors back.h5" "inspect flipped.safetensors"; do
    expect 3 "$saccade" $command
    one_error flipped.safetensors
  done
done
[ ! -e back.h5 ] || fail "damaged safetensors became a checkpoint"

# A network as a hub publishes it: what it is, the lines for a config, and a run that starts from it.
hub=$(dirname "${BASH_SOURCE[0]}")/../golden/published/hub
for network in hf-vit timm-siglip torchvision-swin openclip-resnet hf-convnextv2; do
  expect 0 "$saccade" inspect "$hub/$network" --image-size 32
  wants "network: " out
  wants "type: hub" out
  wants "grid: " out
done
expect 0 "$saccade" inspect "$hub/hf-vit" --json
[ "$(json out /network/encoder/type)" = hub ] || fail "no lines of a config"
cp -r "$hub/hf-vit" unprepared
rm -f unprepared/preprocessor_config.json
expect 0 "$saccade" inspect unprepared
wants "image_size: $(sed -n 's/.*"image_size": \([0-9]*\).*/\1/p' unprepared/config.json)" out
expect 0 "$saccade" inspect "$hub/torchvision-vit/model.safetensors"
wants "encoder.heads" out
cp -r "$hub/timm-vit" moved
chmod -R u+w moved
hub_vit=(encoder.type=hub encoder.weights=moved encoder.image_size=32)
expect 0 "$saccade" train tiny.yaml --out hub train.stop=2u "${hub_vit[@]}"
mv moved away
expect 0 "$saccade" evaluate hub --split val --no-ablations
expect 0 "$saccade" inspect hub
expect 3 "$saccade" train tiny.yaml --out gone train.stop=1u "${hub_vit[@]}"
one_error moved
# What is within a network and unknown is not left out.
mv away moved
expect 3 "$saccade" train tiny.yaml --out wrong encoder.type=vit encoder.weights=$hub/timm-clip-quickgelu/model.safetensors \
  encoder.vit.width=8 encoder.vit.layers=2 encoder.vit.heads=2 encoder.vit.patch=4 encoder.vit.multiple=2 \
  encoder.positions=learned encoder.image_size=12 encoder.weights_strict=false encoder.interpolation=bicubic encoder.pixels=clip
one_error "encoder.type hub takes the network"

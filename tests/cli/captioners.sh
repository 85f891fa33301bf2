# Folders of captioners as hubs have them stand where checkpoints do: captions, maps, prompts, captions of
# one's own, checkpoints that are made of them, and what is refused.
. "$(dirname "${BASH_SOURCE[0]}")/support.sh"
golden=$(dirname "${BASH_SOURCE[0]}")/../golden/published/captioners
photo=$(dirname "${BASH_SOURCE[0]}")/../../experiments/photos/dogs.jpg
cp -r "$golden" hub
cp "$photo" photo.jpg

for model in hub/blip hub/vit-gpt2 hub/git; do
  expect 0 "$saccade" caption $model photo.jpg
  wants "photo.jpg: " out
  cp out searched
  expect 0 "$saccade" caption $model photo.jpg --json --mode greedy
  last=$(($(json out '/0/words#') - 1))
  [ "$last" -ge 0 ] || fail "$model says nothing"
  awk -v e="$(json out /0/words/0/elsewhere)" 'BEGIN { exit e > 0 && e < 1 ? 0 : 1 }' ||
    fail "a word does not tell the weight of the class token"

  expect 0 "$saccade" overlay $model photo.jpg --out all --layer all --head all
  cp all/photo.json out
  [ "$(json out '/maps#')" -eq 4 ] || fail "$model has no map for each layer and head"
  for map in 0 1 2 3; do
    awk -v e="$(json out "/maps/$map/elsewhere/0")" 'BEGIN { exit e > 0 && e < 1 ? 0 : 1 }' ||
      fail "map $map does not tell the weight of the class token"
  done

  # Checkpoints of it say the same without the folder.
  expect 0 "$saccade" convert $model whole.h5 --force
  expect 0 "$saccade" convert $model half.h5 --half --force
  mv $model away
  expect 0 "$saccade" caption whole.h5 photo.jpg
  [ "$(sed 1q out)" = "$(sed 1q searched)" ] || fail "the checkpoint of $model says something else"
  expect 0 "$saccade" caption half.h5 photo.jpg
  mv away $model

  expect 0 "$saccade" inspect $model
  wants "published captioner: " out
  expect 0 "$saccade" inspect $model --json
  json out /published >/dev/null
  expect 0 "$saccade" overlay $model photo.jpg --out maps --say "a red square" --format svg
  wants "elsewhere 0." maps/photo.sheet.svg
  expect 0 "$saccade" overlay $model photo.jpg --out rolled-"$(basename $model)" --rollout
  expect 0 "$saccade" caption $model photo.jpg --say "Two circles, near the left side." --json
  [ "$(json out /0/given)" = true ] || fail "the caption is not given"
done

# A caption begins with the prompt, which is cut off nowhere.
expect 0 "$saccade" caption hub/blip photo.jpg --set search.prompt="a picture of"
wants "photo.jpg: a picture of" out
expect 2 "$saccade" caption hub/blip photo.jpg --set search.prompt="a picture of" --set search.max_length=3
one_error "search.prompt" "max_length"

# A page shows no gate of a captioner without one.
expect 0 "$saccade" caption hub/git photo.jpg --page page.html
wants '"gate":false' page.html

# A word that its tokens lack is named.
expect 0 "$saccade" caption hub/blip photo.jpg --say "a red zebra square"
wants "does not know zebra; it reads the token of unknown words" err

# What would make another network or another search of it.
refused() { # FILE SED TEXTS...
  rm -rf broken
  cp -r hub/blip broken
  sed -i "$2" "broken/$1"
  shift 2
  expect 3 "$saccade" caption broken photo.jpg
  one_error "broken/" "$@"
}
refused config.json 's/"hidden_act": "gelu"/"hidden_act": "silu"/' hidden_act silu
refused config.json 's/"num_attention_heads": 2/"num_attention_heads": 3/' num_attention_heads
refused config.json 's/"hidden_size": 8/"hidden_size": 16/' "config.json"
refused config.json 's/"layer_norm_eps": [^,]*/"layer_norm_eps": -1/' "between 0 and 1"
refused generation_config.json 's/"pad_token_id"/"repetition_penalty": 1.2, "pad_token_id"/' repetition_penalty
refused preprocessor_config.json 's/0.48145466/0.3/' image_mean
rm -rf broken
cp -r hub/blip broken
sed -i 's/"model_type": "blip",/"model_type": "blip-2",/' broken/config.json
expect 4 "$saccade" caption broken photo.jpg
one_error "broken/config.json" "BLIP, GIT"
printf '{"model_type": "t5", "architectures": ["T5ForConditionalGeneration"]}' >broken/config.json
expect 4 "$saccade" caption broken photo.jpg
one_error "broken/config.json" "T5ForConditionalGeneration (model_type t5)" "BLIP, GIT"
expect 4 "$saccade" caption Salesforce/blip-image-captioning-base photo.jpg
one_error "Salesforce/blip-image-captioning-base: no such checkpoint" "downloads nothing" "folder"
rm -rf broken
cp -r hub/blip broken
rm broken/tokenizer.json
: >broken/vocab.txt
expect 3 "$saccade" caption broken photo.jpg
one_error "vocabulary is empty"
rm -rf broken
cp -r hub/blip broken
rm broken/preprocessor_config.json
expect 3 "$saccade" caption broken photo.jpg
one_error "broken/preprocessor_config.json"
# As transformers 5 writes it.
{
  printf '{"image_processor": '
  cat hub/blip/preprocessor_config.json
  printf ', "processor_class": "BlipProcessor"}'
} >broken/processor_config.json
expect 0 "$saccade" caption hub/blip photo.jpg
cp out before
expect 0 "$saccade" caption broken photo.jpg
cmp -s out before || fail "pictures are prepared in another way"
expect 0 "$saccade" inspect broken/model.safetensors
wants "processor_config.json" out
wants "pixels: clip" out
expect 2 "$saccade" convert hub/blip blip.txt
one_error "blip.txt" ".h5"
[ ! -e blip.txt ] || fail "a refused conversion leaves a file"

# The beam of the command line searches with a beam, though the folder asks for greedy captions.
expect 0 "$saccade" caption hub/blip photo.jpg --beam 3
cp out with-beam
expect 0 "$saccade" caption hub/blip photo.jpg --beam 3 --mode beam
cmp -s out with-beam || fail "--beam alone does not search with a beam"

# What is wrong with the weights is told as such.
chmod -R u+w hub
mv hub/blip/model.safetensors weights
expect 3 "$saccade" caption hub/blip photo.jpg
one_error "hub/blip"
head -c 500 weights >hub/blip/model.safetensors
expect 3 "$saccade" caption hub/blip photo.jpg
one_error "model.safetensors"
# A number that is none, in the pictures' side and in that of words.
for place in 12000 -4000; do
  cp weights hub/blip/model.safetensors
  size=$(stat -c %s weights)
  printf '\0\0\300\177' | dd of=hub/blip/model.safetensors bs=1 conv=notrunc seek=$((place < 0 ? size + place : place)) 2>/dev/null
  expect 3 "$saccade" inspect hub/blip
  one_error "hub/blip/model.safetensors"
done
cp -r "$golden/../hub/hf-vit" encoder
chmod -R u+w encoder
expect 0 "$saccade" inspect encoder
printf '\0\0\300\177' | dd of=encoder/model.safetensors bs=1 conv=notrunc seek=$(($(stat -c %s encoder/model.safetensors) - 400)) 2>/dev/null
expect 3 "$saccade" inspect encoder
one_error "encoder/model.safetensors" "not finite"
rm encoder/model.safetensors
expect 3 "$saccade" inspect encoder
one_error "encoder: no weights are in this folder"
# Heads that do not fit, and networks that have the tensors of a ViT and compute something else.
unfit() { # NETWORK SED TEXT
  rm -rf encoder
  cp -r "$golden/../hub/$1" encoder
  chmod -R u+w encoder
  sed -i "$2" encoder/config.json
  expect 0 "$saccade" inspect encoder
  grep "^but: encoder/config.json: .*$3" out >/dev/null || fail "$1 is not refused for $3"
}
unfit hf-vit 's/"num_attention_heads": 2/"num_attention_heads": 3/' "3 heads"
unfit timm-vit 's/vit_tiny_patch16_224/vit_pe_core_tiny_patch16_384/' "vit_pe_core_tiny_patch16_384"
echo '{' >hub/blip/config.json
expect 4 "$saccade" caption hub/blip photo.jpg
one_error "hub/blip/config.json"

# What cannot be taken as it is: a file of a folder, a folder of a cache, weights without a file on pictures, and of no network.
expect 4 "$saccade" caption hub/vit-gpt2/model.safetensors photo.jpg
one_error "hub/vit-gpt2/model.safetensors" "name the folder"
mkdir -p cache/snapshots
cp -r "$golden/vit-gpt2" cache/snapshots/revision
expect 4 "$saccade" caption cache photo.jpg
one_error "cache/snapshots/revision"
expect 3 "$saccade" new mine --photos . --captions . --encoder openai/clip-vit-base-patch32
one_error "openai/clip-vit-base-patch32: no such file or folder of weights" "downloads nothing"
rm -rf encoder
cp -r "$golden/../hub/torchvision-vit" encoder
chmod -R u+w encoder
expect 0 "$saccade" inspect encoder
wants '{"num_attention_heads": ...}' out
echo '{"num_attention_heads": 2}' >encoder/config.json
expect 0 "$saccade" inspect encoder
wants ", 2 heads, " out
expect 0 "$saccade" inspect "$golden/../hub/torchvision-convnext"
wants "pictures: no file" out
wants "pixels: imagenet" out
expect 0 "$saccade" inspect "$golden/../containers/views.pth"
wants "network: none that encoder.type hub knows" out
exit 0

# Photos as people have them: under other names, in other formats, too large, and replaced behind the back of
# a feature cache.
. "$(dirname "${BASH_SOURCE[0]}")/support.sh"

expect 0 "$saccade" train tiny.yaml --out run train.stop=1u
expect 0 "$saccade" data tiny.yaml --out sheets
mkdir folder
cp sheets/train.png folder/photo.jfif
expect 0 "$saccade" caption run folder
wants "folder/photo.jfif" out
! grep -q "left out" err || fail "something was left out of a folder of one picture"
# What has the content of a picture and another name is counted.
cp sheets/train.png folder/download
cp sheets/val.png folder/scan.dat
echo "BMW, no bitmap" >folder/notes.txt
expect 0 "$saccade" caption run folder
wants "folder: left out 2 files with a picture in it, but without the ending of one (.jpg, .png, ...): download, scan.dat" err
rm folder/photo.jfif
expect 2 "$saccade" caption run folder
wants "left out 2 files" err
expect 0 "$saccade" caption run folder/download

# What is no picture of a format that is read is named.
printf '\0\0\0\x20ftypavif\0\0\0\0avifmif1' >avif.jpg
printf '\n<!DOCTYPE html>\n<title>404</title>' >page.jpg
printf 'GIF89a..' >moving.gif
expect 3 "$saccade" caption run avif.jpg
one_error "avif.jpg: is an AVIF picture" "convert it"
expect 3 "$saccade" caption run page.jpg
one_error "page.jpg: is a web page" "download"
expect 3 "$saccade" caption run moving.gif
one_error "moving.gif: is a GIF picture"
# A reader of another format would end the program.
{
  printf 'RIFF\x92\0\0\0WEBPVP8 '
  head -c 112 /dev/zero
  printf DICM
  head -c 22 /dev/zero
} >other.webp
expect 3 "$saccade" caption run other.webp
one_error "other.webp"

# 72 million pixels of one bit: refused, and read where the config allows it.
{
  printf 'BM\0\0\0\0\0\0\0\0\x3e\0\0\0\x28\0\0\0\x28\x23\0\0\x40\x1f\0\0\x01\0\x01\0'
  head -c 24 /dev/zero
  printf '\0\0\0\0\xff\xff\xff\0'
  head -c $((1128 * 8000)) /dev/zero
} >large.bmp
expect 3 "$saccade" caption run large.bmp
one_error "large.bmp: 9000x8000 pixels are more than the 64 million" "data.max_megapixels"
expect 0 "$saccade" caption run large.bmp --set data.max_megapixels=72
expect 2 "$saccade" caption run large.bmp --set data.min_count=2
one_error "no data set is read"

# A cache knows photos by their content: a photo is replaced by one of the same name, size and time.
mkdir photos
for i in $(seq 12); do cp sheets/train.png photos/p$i.png; done
truncate -s 3000000 photos/p3.png # what is behind the end of a PNG is no part of it
{
  echo image,caption,split
  for i in $(seq 10); do echo "p$i.png,a red square number $i,train"; done
  echo "p11.png,a red square,val"
  echo "p12.png,a blue square,val"
} >photos/captions.csv
vit=(encoder.type=vit encoder.positions=learned encoder.vit.width=12 encoder.vit.layers=1 encoder.vit.heads=2
  encoder.vit.patch=8)
expect 0 "$saccade" train tiny.yaml --out first train.stop=1u "${vit[@]}"
expect 0 "$saccade" convert --encoder first vit.safetensors
set -- "${vit[@]}" data.type=folder data.images=photos encoder.weights=vit.safetensors encoder.frozen_stages=-1 \
  encoder.cache=cache train.stop=2u train.validate_every=2u
expect 0 "$saccade" train tiny.yaml --out one "$@"
wants "features of 12 images take 0.1 MB of " err
expect 0 "$saccade" train tiny.yaml --out two "$@"
! grep -q "features of" err || fail "unchanged photos were encoded again"
[ "$(digest one)" = "$(digest two)" ] || fail "features from the cache gave another result"
cp sheets/val.png other.png
truncate -s 3000000 other.png
touch -r photos/p3.png other.png
cp -p other.png photos/p3.png
expect 0 "$saccade" train tiny.yaml --out three "$@"
wants "features of " err
[ "$(digest one)" != "$(digest three)" ] || fail "a photo was replaced, and the result is the same"
# Another interpolation has another cache, and another result.
expect 0 "$saccade" train tiny.yaml --out four "$@" encoder.interpolation=bicubic
wants "features of 12 images" err
[ "$(digest four)" != "$(digest three)" ] || fail "the interpolation changed nothing"
printf '{"resample": 3}' >preprocessor_config.json
expect 0 "$saccade" train tiny.yaml --out five "$@"
wants "preprocessor_config.json says that the network was trained on bicubic photos" err
expect 0 "$saccade" train tiny.yaml --out six "$@" encoder.interpolation=bicubic
! grep -q preprocessor_config err || fail "the warning was given for the right interpolation"

# A limit on the size of files is one line and the exit code of a disk.
(
  ulimit -f 4
  expect 5 "$saccade" train tiny.yaml --out seven "$@" encoder.cache=small
) || exit 1
wants "(ulimit -f) is 0.1 MB; raise the limit, cache elsewhere" err
[ -z "$(ls small)" ] || fail "a partial cache is left"

# A damaged photo is learned from with one warning, and many give one line.
damaged_pictures
for i in 1 2 3; do cp damaged.jpg photos/p$i.png; done
expect 0 "$saccade" train tiny.yaml --out eight "$@" encoder.cache=
wants "3 images were read with a warning; the first: photos/p1.png: the image may be damaged" err

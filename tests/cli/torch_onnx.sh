# Networks as torch.onnx writes them (a vision transformer, with its weights in a file of their own) are
# listed, trained, frozen and kept in checkpoints.
. "$(dirname "${BASH_SOURCE[0]}")/support.sh"
cp "$(dirname "${BASH_SOURCE[0]}")"/../golden/onnx/{vit-dynamo23.onnx,vit-dynamo23.onnx.data,swin-older11.onnx} .

expect 0 "$saccade" inspect vit-dynamo23.onnx --image-size 16
grep '^grid ' out | grep -q ' x ' || fail "the grid is not listed with its shape"

vit=(encoder.type=onnx_native encoder.model=vit-dynamo23.onnx encoder.layer=grid encoder.image_size=16 encoder.positions=none)
expect 0 "$saccade" train tiny.yaml --out run train.stop=8u "${vit[@]}" encoder.lr=1e-3 --threads 1 --report-images 0
wanted=$(digest run)
expect 0 "$saccade" train tiny.yaml --out run-3 train.stop=8u "${vit[@]}" encoder.lr=1e-3 --threads 3 --report-images 0
[ "$(digest run-3)" = "$wanted" ] || fail "the result differs with 3 threads"
expect 0 "$saccade" train tiny.yaml --out parts train.stop=3u "${vit[@]}" encoder.lr=1e-3 --report-images 0
expect 0 "$saccade" train tiny.yaml --out parts train.stop=8u "${vit[@]}" encoder.lr=1e-3 --resume --report-images 0
[ "$(digest parts)" = "$wanted" ] || fail "the result of the resumed run differs"
expect 0 "$saccade" train tiny.yaml --out last train.stop=2u "${vit[@]}" encoder.frozen_stages=4 --report-images 0
expect 0 "$saccade" train tiny.yaml --out frozen train.stop=2u "${vit[@]}" encoder.frozen_stages=-1 --report-images 0

# The checkpoint needs the file no longer.
expect 0 "$saccade" data tiny.yaml --out pictures
mkdir away
mv vit-dynamo23.onnx* away
expect 0 "$saccade" caption run pictures/train.png
expect 2 "$saccade" caption run pictures/train.png --set encoder.image_size=32
one_error "encoder.image_size" "16 x 16"

expect 0 "$saccade" train tiny.yaml --out swin train.stop=2u encoder.type=onnx_native encoder.model=swin-older11.onnx \
  encoder.layer=grid encoder.image_size=40 encoder.positions=none --report-images 0
# A layer that is no grid, and a picture of another size than the network is for.
expect 3 "$saccade" train tiny.yaml --out x encoder.type=onnx_native encoder.model=swin-older11.onnx encoder.layer=grid encoder.image_size=44
one_error "swin-older11.onnx"
exit 0

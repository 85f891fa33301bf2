# Views of training photos with a frozen encoder. Neither the number of threads nor resuming nor a cache
# changes a bit, and only training computes views.
. "$(dirname "${BASH_SOURCE[0]}")/support.sh"

vit=(encoder.type=vit encoder.positions=learned encoder.vit.width=12 encoder.vit.layers=1
  encoder.vit.heads=2 encoder.vit.patch=8)
expect 0 "$saccade" train tiny.yaml --out first train.stop=1u "${vit[@]}"
expect 0 "$saccade" convert --encoder first vit.safetensors
frozen=("${vit[@]}" encoder.weights=vit.safetensors encoder.frozen_stages=-1)
views=("${frozen[@]}" encoder.augment.flip=true encoder.augment.shift=3 encoder.augment.scale=0.8)

expect 2 "$saccade" train tiny.yaml --out none "${views[@]}"
one_error "encoder.augment.views"
expect 0 "$saccade" train tiny.yaml --out plain "${frozen[@]}"
views+=(encoder.augment.views=3)
expect 0 "$saccade" train tiny.yaml --out whole "${views[@]}" --threads 1
wants "96 further views of 48 training photos" err
wanted=$(digest whole)
[ "$(digest plain)" = "$wanted" ] && fail "the views did not change the result"
expect 0 "$saccade" train tiny.yaml --out threads "${views[@]}" --threads 3
[ "$(digest threads)" = "$wanted" ] || fail "the result differs with 3 threads"

views+=(encoder.cache=cache)
for stop in 7u 13u 24u; do
  expect 0 "$saccade" train tiny.yaml --out parts "${views[@]}" train.stop=$stop --resume
done
wants "0 of 96 views were computed now" err
[ "$(digest parts)" = "$wanted" ] || fail "the result of the resumed run with a cache differs"

# An evaluation of a checkpoint that was trained with views computes none.
expect 0 "$saccade" evaluate parts
grep -q "further views" err && fail "the evaluation computed views"
exit 0

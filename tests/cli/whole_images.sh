# Batches of whole images: neither the number of threads nor resuming changes a bit, with soft and hard
# attention, several samples per caption, scheduled sampling and a trained encoder.
. "$(dirname "${BASH_SOURCE[0]}")/support.sh"

whole=(train.captions=whole_images train.shard=7 train.batch=13)
hard=(attention.selection=hard attention.hard.baseline=leave_one_out attention.hard.samples=2)
run() { same_bits "$@" "${whole[@]}"; }  # NAME OPTIONS...
run soft objective.scheduled_sampling=0.2
run hard "${hard[@]}"
run augmented encoder.augment.flip=true encoder.augment.shift=3
run critical objective.self_critical.start=12u objective.self_critical.samples=3
exit 0

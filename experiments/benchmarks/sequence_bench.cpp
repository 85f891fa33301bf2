#include "experiments/benchmarks/sequence_bench.h"

#include "core/attention/sequence/refinement.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

SequenceBench::SequenceBench(SequenceAttentionKind kind, const SequenceSizes& sizes)
    : x_(normal_numbers({1, sizes.grid.cells(), SequenceSizes::kWidth}, 1)),
      cotangent_(normal_numbers(x_.view().shape, 2)),
      tape_(arena_) {
  attention_ = make_sequence_attention(
      ParamScope(store_, "attention"),
      {.type = kind, .heads = SequenceSizes::kHeads, .radius = 8, .projected = 32},
      {sizes.grid, SequenceSizes::kWidth}, 0);
  store_.initialise(1);
  weight_gradients_ = std::make_unique<WeightGradients>(store_);
  tape_.set_parameters(store_.views());
}

void SequenceBench::forward() {
  tape_.reset();
  tape_.set_recording(false);
  (*attention_)(tape_, tape_.constant(x_.view()), {});
}

void SequenceBench::train() {
  tape_.reset();
  tape_.set_recording(true);
  const Var y = (*attention_)(tape_, tape_.variable(x_.view()), {});
  const ConstView cotangent = cotangent_.view();
  tape_.backward({&y, 1}, {&cotangent, 1});
  weight_gradients_->compute(tape_);
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade

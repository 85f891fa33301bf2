// Attention over a whole sequence, for timing: one mechanism of core/attention/sequence.
#pragma once

#include <memory>

#include "core/attention/sequence/refinement_config.h"
#include "core/attention/sequence/sequence_attention.h"
#include "core/base/grid_size.h"
#include "experiments/benchmarks/weight_gradients.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// The size of one sequence: a grid in reading order.
struct SequenceSizes {
  static constexpr Index kWidth = 256, kHeads = 8;
  GridSize grid{};
};

class SequenceBench {
 public:
  // The mechanism with a window radius of 8, 32 mixtures, and a graph of each cell's eight
  // neighbours.
  SequenceBench(SequenceAttentionKind kind, const SequenceSizes& sizes);

  // A forward pass without recording.
  void forward();
  // A recorded forward pass, and the backward pass to the sequence and to the gradients of the
  // weights.
  void train();

 private:
  ParameterStore store_;
  std::unique_ptr<SequenceAttention> attention_;
  std::unique_ptr<WeightGradients> weight_gradients_;
  Tensor x_, cotangent_;
  Arena arena_;
  Tape tape_;
};

}  // namespace SACCADE_NUMERIC
}  // namespace saccade

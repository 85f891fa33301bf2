// A layer over a whole sequence, for timing: a mechanism of core/attention/sequence, a convolution
// or a GRU.
#pragma once

#include <functional>

#include "experiments/benchmarks/sequence_layers.h"
#include "experiments/benchmarks/weight_gradients.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

class SequenceBench {
 public:
  // The layer over random numbers; a graph joins each cell to its eight neighbours.
  SequenceBench(const SequenceLayer& layer, const SequenceSizes& sizes);

  // The numbers of the sequence [1, L, width].
  View input() { return x_.view(); }
  // A forward pass without recording. Returns a vector of the same width for every position
  // [1, L, width], valid until the next pass.
  ConstView forward();
  // A recorded forward pass, and the backward pass to the sequence and to the gradients of the
  // weights.
  void train();

 private:
  ParameterStore store_;
  std::function<Var(Tape&, Var)> layer_;
  std::unique_ptr<WeightGradients> weight_gradients_;
  Tensor x_, cotangent_;
  Arena arena_;
  Tape tape_;
};

}  // namespace SACCADE_NUMERIC
}  // namespace saccade

// Looks of a decoder's attention, to be timed: one mechanism over the memories of a batch.
#pragma once

#include <memory>

#include "core/attention/make_attention.h"
#include "experiments/benchmarks/weight_gradients.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// Widths are those of Show, Attend and Tell.
struct LookSizes {
  static constexpr Index kWidth = 512;  // of features, query, sentinel and attention.hidden
  static constexpr Index kWords = 8;    // looks a recording, one after the other
  Index batch = 1, rows = 0, cols = 0;
  Index regions() const { return rows * cols; }
};

class LookBench {
 public:
  // features [batch, regions, kWidth] are borrowed.
  LookBench(const AttentionConfig& config, const LookSizes& sizes, ConstView features);

  // What is done once an image.
  void prepare();
  // kWords looks with prepared keys, nothing recorded.
  void look();
  // The same recorded in training, and back from the contexts (and hard attention's estimator) to
  // query, features, keys and the gradients of the weights.
  void train();

 private:
  // Leaves in outputs_ what training goes back from.
  void run_looks(const AttentionMemory& memory, Var query, Chooser* chooser);

  SelectionKind selection_;
  bool sentinel_;
  LookSizes sizes_;
  ConstView features_;
  ParameterStore store_;
  std::unique_ptr<Attention> attention_;
  std::unique_ptr<WeightGradients> weight_gradients_;
  Tensor query_, cotangent_, advantage_;
  ops::Reinforce estimator_;
  Arena prepare_arena_, memory_arena_, arena_;
  Tape prepare_tape_, memory_tape_, tape_;
  AttentionMemory memory_;
  std::vector<Var> outputs_;
};

}  // namespace SACCADE_NUMERIC
}  // namespace saccade

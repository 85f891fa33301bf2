// The attention of a decoder, to be timed: one mechanism over the memories of a batch.
#pragma once

#include <memory>
#include <string>

#include "core/attention/make_attention.h"
#include "experiments/benchmarks/weight_gradients.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// Widths are those of Show, Attend and Tell.
struct AttentionSizes {
  static constexpr Index kWidth = 512;  // of features, query, sentinel and attention.hidden
  static constexpr Index kWords = 8;    // glimpses per recording, one after the other
  Index batch = 1;
  GridSize grid{};
  Index regions() const { return grid.cells(); }
};

class AttentionBench {
 public:
  // features [batch, regions, kWidth] are borrowed.
  AttentionBench(const AttentionConfig& config, const AttentionSizes& sizes, ConstView features);

  // What is done once per image.
  void prepare();
  // kWords glimpses with prepared keys, of which nothing is recorded.
  void attend();
  // The same recorded as in training, and backward from the contexts (and the estimator of hard
  // attention) to query, features, keys and the gradients of the weights.
  void train();

 private:
  // Leaves in outputs_ what backward starts from.
  void run_glimpses(const AttentionMemory& memory, Var query, GlimpseObserver* observer);

  std::string selection_;
  bool sentinel_;
  AttentionSizes sizes_;
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

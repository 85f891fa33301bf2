// Attention supervised by boxes: the weight of a noun's map should lie inside the boxes of what the
// noun names (Liu et al., AAAI 2017, "Attention Correctness in Neural Image Captioning").
#pragma once

#include <span>
#include <vector>

#include "captioning/learning/objectives/attention_target.h"
#include "captioning/model/decoders/decoder.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// Which maps of a shard are supervised by the targets.
struct SupervisedMaps {
  std::span<const AttentionTarget> targets;
  Index samples = 1;  // rows of each caption in the maps, one after the other
};

// The costs of the maps of a shard: for each supervised word and row, -log of the weight inside the
// word's boxes (ops::inside_cost). `weights` are SequenceOutput::weights().
class BoxSupervision {
 public:
  BoxSupervision(std::span<const Var> weights, const SupervisedMaps& supervised);

  // What is added to the loss if `weight` is the weight of every word's cost; empty where there are
  // no costs.
  std::vector<Var> terms(double weight) const;
  double cost() const { return cost_; }   // the sum over words and rows
  Index words() const { return words_; }  // the number of words and rows with a cost

 private:
  std::vector<Var> costs_;  // of steps that have costs, [R_t] each
  double cost_ = 0;
  Index words_ = 0;
};

}  // namespace SACCADE_NUMERIC
}  // namespace saccade

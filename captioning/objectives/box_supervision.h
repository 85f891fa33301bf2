// Attention supervised by boxes: the weight of a noun's map should lie inside the boxes of what the
// noun names (Liu et al., AAAI 2017, "Attention Correctness in Neural Image Captioning").
#pragma once

#include <span>
#include <vector>

#include "captioning/decoders/decoder.h"
#include "captioning/objectives/look_target.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// How targets meet the maps of a shard.
struct SupervisedLooks {
  std::span<const LookTarget> targets;
  Index step = 0;     // the map of word t is that of look t + step
  Index samples = 1;  // rows that each caption has in the maps, one after the other
};

// The costs of the maps of a shard: for each supervised word and row -log of the weight inside its
// boxes (ops::inside_cost). A word whose look lies beyond the caption's end has none. `weights` are
// SequenceOutput::weights.
class BoxSupervision {
 public:
  BoxSupervision(std::span<const Var> weights, const SupervisedLooks& looks);

  // What is added to the loss where every word's cost weighs so much; empty without any.
  std::vector<Var> terms(double weight) const;
  double cost() const { return cost_; }   // summed over words and rows
  Index words() const { return words_; }  // how many words and rows have a cost

 private:
  std::vector<Var> costs_;  // of looks that have some, [R_t] each
  double cost_ = 0;
  Index words_ = 0;
};

}  // namespace SACCADE_NUMERIC
}  // namespace saccade

// Attention supervised without boxes, by a second look that knows the word (informed_look.h): what
// the word costs when it is said from that look, and how far the first map is from the second.
#pragma once

#include <span>
#include <vector>

#include "captioning/decoders/decoder.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

class InformedSupervision {
 public:
  // `words` are of one look of SequenceOutput::informed. Where `weights`, SequenceOutput::weights
  // of the same captions, are given, the map of look t + step has a distance from the informed map
  // of word t, which is a constant to it (ops::map_distance); a word whose look lies beyond its
  // caption's end has none.
  InformedSupervision(const InformedWords& words, std::span<const Var> weights, Index step);

  // What is added to the loss: `cost` times -log p of every word, `distance` times the distances.
  struct Weights {
    double cost = 0, distance = 0;
  };
  std::vector<Var> terms(const Weights& weights) const;

  double cost() const { return cost_; }          // -log p, summed over words and rows
  Index words() const;                           // how many words and rows there are
  double distance() const { return distance_; }  // summed over maps and rows
  Index maps() const;                            // how many maps and rows have a distance

 private:
  Var nll_;                     // [N]
  std::vector<Var> distances_;  // of looks that have some, [R_t] each
  double cost_ = 0, distance_ = 0;
};

}  // namespace SACCADE_NUMERIC
}  // namespace saccade

// Attention supervised without boxes: the map of a word should be that of a localizer, which knows
// the word and learns from captions where words are. The localizer learns beside the model.
#pragma once

#include <span>
#include <vector>

#include "captioning/model/decoders/decoder.h"
#include "captioning/model/decoders/localized_words.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// The localizer's maps of the target words of one step.
struct LocatedStep {
  std::vector<Real> maps;    // [R, L]
  std::vector<Real> shares;  // [R], how strongly the picture predicts the word (locate())
  Index regions = 0;

  ConstView view() const { return {maps.data(), {static_cast<Index>(shares.size()), regions}}; }
};
// The located words of captions, one entry per step.
std::vector<LocatedStep> located(const PackedCaptions& captions, const LocalizedWords& words);

// The costs of the maps of a shard: for each word, the divergence of its map from the localizer's
// (ops::map_divergence), times how strongly its picture predicts it.
class LocalizerSupervision {
 public:
  // `weights` are SequenceOutput::weights() of the captions whose words are located.
  LocalizerSupervision(std::span<const Var> weights, std::span<const LocatedStep> words);

  // What is added to the loss if a word's divergence has this weight; empty where there are none.
  std::vector<Var> terms(double weight) const;
  double cost() const { return cost_; }    // the weighted divergences, summed over words and rows
  double words() const { return words_; }  // the sum of the words' weights

 private:
  std::vector<Var> costs_;                  // of steps that have costs, [R_t] each
  std::vector<std::vector<Real>> weights_;  // of their rows
  double cost_ = 0, words_ = 0;
};

}  // namespace SACCADE_NUMERIC
}  // namespace saccade

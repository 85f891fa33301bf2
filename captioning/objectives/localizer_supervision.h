// Attention supervised without boxes: the map of a word should be that of a localizer, which knows
// the word and learns from captions where words are. The localizer learns beside the model.
#pragma once

#include <span>
#include <vector>

#include "captioning/decoders/decoder.h"
#include "captioning/objectives/word_localizer.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// Where the localizer finds the words of some captions.
class LocalizedWords {
 public:
  // Locates words (ids, rising, which must outlive this) in images [M], in what attention scores:
  // their keys, or their features where they have no keys.
  LocalizedWords(Tape& tape, const WordLocalizer& localizer, const EncodedImages& images,
                 std::span<const int> words);

  // What the localizer learns from: -sum_w log p of the labels of every image [M]. labels.words are
  // the words that were located.
  Var costs(const WordLabels& labels) const;
  // Writes the map of a word [L] to out. Returns how strongly the picture predicts the word:
  // log(p(word | image) / share(word)), cut to the range from 0 (no more than any picture) to 1. It
  // is 0 for a word that was not located.
  double locate(Index image, int word, std::span<Real> out) const;
  Index regions() const { return scores_.shape()[1]; }

 private:
  std::span<const int> words_;
  ScoreMapOptions map_;
  Var scores_, logits_;
  ConstView mask_;
  std::vector<double> log_shares_;  // [W]
};

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
  // `weights` are SequenceOutput::weights of the captions whose words are located.
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

// Attention supervised without boxes: a word's map should be where a localizer, which is told the
// word and learned from captions where words are, finds it. The localizer learns beside the model.
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
  // Of images [M], by what attention scores of them: their keys where they have some. labels.words
  // must hold all words that are asked for.
  LocalizedWords(Tape& tape, const WordLocalizer& localizer, const EncodedImages& images,
                 const WordLabels& labels);

  // -sum_w log p of the labels of every image [M].
  Var costs() const { return costs_; }
  // Writes the map of a word [L] to out. Returns how much the picture speaks for the word, from 0
  // (no more than any picture) to 1: log (p(word | image) / share(word)), cut to that range. 0 for
  // a word that is not among the labels'.
  double locate(Index image, int word, std::span<Real> out) const;
  Index regions() const { return scores_.shape()[1]; }

 private:
  const WordLabels* labels_;
  ScoreMapOptions map_;
  Var scores_, logits_, costs_;
  ConstView mask_;
  std::vector<double> log_shares_;  // [W]
};

// The localizer's maps of the words that are said at one step.
struct LocatedStep {
  std::vector<Real> maps;    // [R, L]
  std::vector<Real> shares;  // [R], how much the picture speaks for the word
  Index regions = 0;

  ConstView view() const { return {maps.data(), {static_cast<Index>(shares.size()), regions}}; }
};
// Of all words of some captions, by step.
std::vector<LocatedStep> located(const PackedCaptions& captions, const LocalizedWords& words);

// What the maps of a shard cost: for each word, as much as its picture speaks for it, the
// divergence of its map from the localizer's (ops::map_divergence).
class LocalizerSupervision {
 public:
  // `weights` are SequenceOutput::weights of the captions whose words are located; the map of word
  // t is that of look t + step.
  LocalizerSupervision(std::span<const Var> weights, std::span<const LocatedStep> words,
                       Index step);

  // What is added to the loss where a word's divergence weighs so much; empty without any.
  std::vector<Var> terms(double weight) const;
  double cost() const { return cost_; }    // the weighted divergences, summed over words and rows
  double words() const { return words_; }  // the sum of the words' weights

 private:
  std::vector<Var> costs_;                  // of looks that have some, [R_t] each
  std::vector<std::vector<Real>> weights_;  // of their rows
  double cost_ = 0, words_ = 0;
};

}  // namespace SACCADE_NUMERIC
}  // namespace saccade

// Where a localizer finds the words of some captions.
#pragma once

#include <span>
#include <vector>

#include "captioning/model/decoders/encoded_images.h"
#include "captioning/model/decoders/word_localizer.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

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

}  // namespace SACCADE_NUMERIC
}  // namespace saccade

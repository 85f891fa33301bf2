// The rewards of self-critical training: metrics of one caption against the references of its
// training image. The end token is part of the n-grams.
#pragma once

#include <span>
#include <vector>

#include "captioning/data/dataset.h"
#include "captioning/learning/objectives/self_critical_config.h"
#include "captioning/model/vocabulary/vocabulary.h"
#include "captioning/scoring/metrics/cider.h"

namespace saccade {

class CaptionRewards {
 public:
  // Counts the references of `images` once; document frequencies are those of these references.
  // Words that the vocabulary lacks stay as they are, and no caption of the model matches them.
  // Throws DataError where an image has no caption with a word.
  CaptionRewards(const Dataset& dataset, std::span<const Index> images,
                 const Vocabulary& vocabulary, const RewardConfig& weights);

  // How a caption ended. <eos> counts as its last word.
  enum class Ending { kEos, kCut };
  // The reward of words (ids without <eos>) for an image of the data set, which must be one of
  // `images`. Pieces of words are put together first.
  double score(Index image, std::span<const int> words, Ending ending) const;

 private:
  struct References {
    std::vector<CountedCaption> counted;  // empty unless a reward needs them
    std::vector<CiderVector> vectors;     // likewise
  };
  bool needs_cider() const { return weights_.cider_d > 0 || weights_.cider > 0; }

  RewardConfig weights_;
  std::vector<std::uint32_t> numbers_of(std::span<const int> words) const;

  std::vector<std::uint32_t> numbers_;  // of the words of the vocabulary
  Vocabulary vocabulary_;
  WordNumbers known_;  // words of the references and the vocabulary
  DocumentFrequencies frequencies_{1};
  std::vector<References> references_;  // by image of the data set
};

}  // namespace saccade

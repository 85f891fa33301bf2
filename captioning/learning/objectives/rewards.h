// The rewards of self-critical training: metrics of one caption against the references of its
// training image. The end token is part of the n-grams.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "captioning/data/dataset.h"
#include "captioning/learning/objectives/self_critical_config.h"
#include "captioning/model/vocabulary/vocabulary.h"
#include "captioning/scoring/metrics/cider.h"

namespace saccade {

// A reward of the program that trains: one number for each caption, with its references beside it.
using OwnReward =
    std::function<std::vector<double>(const std::vector<std::string>& captions,
                                      const std::vector<std::vector<std::string>>& references)>;

class CaptionRewards {
 public:
  // Counts the references of `images` once; document frequencies are those of these references.
  // Words that the vocabulary lacks stay as they are, and no caption of the model matches them.
  // Throws DataError where an image has no caption with a word. With `own`, which weights.own
  // weighs, the data set must outlive this.
  CaptionRewards(const Dataset& dataset, std::span<const Index> images,
                 const Vocabulary& vocabulary, const RewardConfig& weights,
                 OwnReward own_reward = {});

  // How a caption ended. <eos> counts as its last word.
  enum class Ending { kEos, kCut };
  // The reward by metrics of words (ids without <eos>) for an image of the data set, which must be
  // one of `images`. Pieces of words are put together first.
  double score(Index image, std::span<const int> words, Ending ending) const;
  // Whether captions also have own().
  bool has_own() const { return weights_.own > 0 && own_reward_; }
  // The weighted rewards of captions by the program's function, which is called once; images[c] is
  // that of captions[c]. Throws what the function throws, and UsageError where it does not give one
  // finite number for each caption.
  std::vector<double> own(std::span<const Index> images,
                          const std::vector<std::string>& captions) const;

 private:
  struct References {
    std::vector<CountedCaption> counted;  // empty unless a reward needs them
    std::vector<CiderVector> vectors;     // likewise
  };
  bool needs_cider() const { return weights_.cider_d > 0 || weights_.cider > 0; }

  RewardConfig weights_;
  OwnReward own_reward_;
  const Dataset* dataset_;
  std::vector<std::uint32_t> numbers_of(std::span<const int> words) const;

  std::vector<std::uint32_t> numbers_;  // of the words of the vocabulary
  Vocabulary vocabulary_;
  WordNumbers known_;  // words of the references and the vocabulary
  DocumentFrequencies frequencies_{1};
  std::vector<References> references_;  // by image of the data set
};

}  // namespace saccade

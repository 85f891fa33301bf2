// The captions that a model trains on, as word ids, and batches of them that are made ahead of the
// training step.
#pragma once

#include <optional>
#include <vector>

#include "captioning/data/batch_plan.h"
#include "captioning/data/data_config.h"
#include "captioning/learning/objectives/rewards.h"
#include "captioning/learning/training/train_step.h"
#include "captioning/model/inputs.h"
#include "captioning/model/search/search_config.h"
#include "captioning/model/vocabulary/vocabulary.h"
#include "core/parallel/parallel.h"
#include "core/parallel/ranks/groups.h"

namespace saccade {

struct ExperimentConfig;

// data.share of the training images, or those of joined sets, where they are below 1.
std::vector<PlanShare> training_shares(const LoadedData& data, const DataConfig& config);

// Throws UsageError where training on these captions is too short for a warm-up or a second stage.
void check_stages(const ExperimentConfig& config, const LoadedData& data);

// The vocabulary of the training captions of a data set; with data.vocabulary published, these
// tokens (ModelConfig::tokens).
Vocabulary training_vocabulary(const LoadedData& data, const DataConfig& config,
                               const std::shared_ptr<const Vocabulary>& published = {});

class TrainingSet {
 public:
  // Encodes every training caption. Those longer than config.max_length words are cut and counted.
  // Images in `bad` are left out. Throws DataError when nothing is left. data and vocabulary must
  // outlive this.
  TrainingSet(const LoadedData& data, const DataConfig& config, const Vocabulary& vocabulary,
              std::span<const Index> bad);

  std::span<const PlanItem> items() const { return items_; }
  // training_shares() of the data.
  std::span<const PlanShare> shares() const { return shares_; }
  Index cut_captions() const { return cut_; }
  // The number of captions with more entries of the vocabulary (words or pieces) than `entries`.
  Index longer_than(Index entries) const;
  Index unknown_words() const { return unknown_; }  // words that became <unk>
  const std::vector<int>& words(const PlanItem& item) const;
  // The words of a caption as they were written, cut to data.max_length.
  std::vector<std::string> tokens(const PlanItem& item) const;
  // The places in words() that belong to word `word` of tokens(): one, or those of all pieces into
  // which the word is cut.
  struct Places {
    Index begin = 0, end = 0;
  };
  Places places_of(const PlanItem& item, std::size_t word) const;
  // The ids of all words in an image's captions, without <unk>, in ascending order.
  const std::vector<int>& image_words(Index image) const {
    return image_words_[static_cast<std::size_t>(image)];
  }
  const std::string& image_id(const PlanItem& item) const;
  // The rewards of self-critical training for captions of these images.
  CaptionRewards rewards(const Vocabulary& vocabulary, const RewardConfig& weights,
                         const OwnReward& own = {}) const;

 private:
  const LoadedData* data_;
  std::vector<PlanItem> items_;
  std::vector<PlanShare> shares_;
  const Vocabulary* vocabulary_;
  Index max_length_;
  std::vector<std::vector<std::vector<int>>> captions_;  // [image][caption] -> ids
  std::vector<std::vector<int>> image_words_;
  std::vector<std::vector<std::size_t>> written_;  // [image][caption] -> place in its image
  Index cut_ = 0, unknown_ = 0;
};

// Warns of captions that are too long for the config, where they are more than a few per cent:
// those that data.max_length cuts, and those that are longer than search.max_length.
std::vector<std::string> length_warnings(const TrainingSet& set, const DataConfig& data,
                                         const SearchConfig& search);

// The inputs and packed captions of a planned batch. Augments where the encoder is trainable and
// its config has changes; these are keyed by (seed, epoch, image). For a frozen encoder, a view of
// the photo is drawn for every caption by (seed, epoch, image, caption), or for every image where
// its captions share it. With `own`, only these shards of the plan are made, for one of several
// ranks.
TrainBatch make_batch(const Batch& plan, const TrainingSet& set, const DatasetInputs& inputs,
                      std::uint64_t seed, Index epoch,
                      const std::optional<parallel::ShardRange>& own = {});

}  // namespace saccade

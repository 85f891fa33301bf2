// One update of the first stage: the loss of the references.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "captioning/learning/objectives/caption_loss.h"
#include "captioning/learning/objectives/estimator_statistics.h"
#include "captioning/learning/training/shard_tapes.h"
#include "captioning/model/input_batch.h"
#include "captioning/model/model.h"

namespace saccade {

struct ExperimentConfig;

// The captions of one shard, longest first, with the inputs of their images.
struct TrainShard {
  InputBatch inputs;             // of m images: m = n, or fewer where captions share an image
  std::vector<Geometry> seen;    // [m] what they show of each photo: DatasetInputs::load_augmented
  PackedCaptions captions;       // n captions; its `images` has the input of each
  std::vector<Index> images;     // [n] into Dataset::images
  std::vector<std::string> ids;  // [n] image ids, for messages
  // The attention targets of words, where the config asks for box supervision.
  std::vector<AttentionTarget> targets{};
  WordLabels labels{};  // of the images of `inputs`
};

// A batch or, over ranks, the shards of it that a rank has.
struct TrainBatch {
  std::vector<TrainShard> shards;
  Index shards_elsewhere = 0;  // that other ranks have
  Index captions_before = 0;   // in those of them that stand before the shards of this rank
  Index captions_elsewhere = 0;

  Index captions() const;  // of the whole batch
  Index all_shards() const { return static_cast<Index>(shards.size()) + shards_elsewhere; }
};

// What hard attention took for a caption, word by word.
struct TakenRegions {
  std::string image{};       // its id
  std::vector<int> words{};  // ids, <eos> at the end
  // [words][glimpses], by layer, then by head: the region that was taken. -1 for the expectation;
  // the number of regions for the sentinel, or for no region.
  std::vector<std::vector<int>> regions{};
};

// What an update of self-critical training reports in addition.
struct SelfCriticalReport {
  double reward = 0;               // mean over the drawn captions
  double baseline = 0;             // mean over the drawn captions
  double advantage_deviation = 0;  // standard deviation of reward - baseline
  double length = 0;               // words per drawn caption, without <eos>
  double finished = 0;             // share of them that ended by themselves
  double reward_share = 0;         // share of the time of all shards that rewards took
};

struct UpdateReport {
  double loss = 0;          // mean over captions: NLL + penalty, labels not smoothed, without the
                            // costs of `supervision`; self-critical: policy loss
  double nll_per_word = 0;  // nats; after what was read, which scheduled sampling draws in part;
                            // of what was drawn in self-critical training
  double penalty = 0;       // the doubly stochastic term above its floor, mean over captions
  // Costs of what is supervised, without their weights: means over the supervised words, and that
  // of localizer_nll over the images.
  //   box_cost              -log of the weight inside their boxes
  //   localizer_divergence  of their maps from the localizer's
  //   localizer_nll         -log p of which words the captions of an image have, by the localizer
  std::map<std::string, double> supervision{};
  double baseline = 0;   // the moving average of the cost, used in this update
  double grad_norm = 0;  // before clipping
  Index captions = 0, words = 0;
  std::optional<EstimatorSums::Statistics> estimator{};  // of hard attention only
  std::optional<SelfCriticalReport> self_critical{};     // of that stage only
  std::vector<TakenRegions> draws{};                     // where the observer wants them
};

class TrainStep {
 public:
  // All arguments must outlive this. The config's seed is part of the keys of dropout and of
  // sampled attention; its ramps count epochs of `updates_per_epoch` updates.
  TrainStep(CaptionModel& model, Optimizer& optimizer, const ExperimentConfig& config,
            Index updates_per_epoch);

  // Makes update number `update` with learning rate lr. Throws DivergedError that names update,
  // tensor and images when a loss or gradient is not finite.
  UpdateReport run(const TrainBatch& batch, Index update, double lr);

  // What hard attention took for the captions of the last update, whose batch this is; none of
  // another selection.
  std::vector<TakenRegions> draws(const TrainBatch& batch) const;

  RewardBaseline& reward_baseline() { return baseline_; }
  // As GradientStep::gather_moments().
  void gather_moments() { tapes_.gather_moments(); }

 private:
  // The moving averages for a batch, from the losses of all its shards.
  RewardBaseline averages(const CaptionLossOptions& options);
  UpdateReport report(const TrainBatch& batch, const CaptionLossOptions& options,
                      Index update) const;
  // The figures of a shard's report, to be added to those of others; sets `error` where a loss is
  // not finite.
  std::vector<double> figures_of(std::size_t shard, const TrainBatch& batch,
                                 const CaptionLossOptions& options, Index update,
                                 std::string& error) const;

  CaptionModel* model_;
  const ExperimentConfig* config_;
  Index updates_per_epoch_;
  ShardTapes tapes_;
  RewardBaseline baseline_;
  std::vector<std::unique_ptr<ShardLoss>> losses_;  // one per shard, on its tape
};

}  // namespace saccade

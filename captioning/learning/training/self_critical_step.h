// One update of self-critical training: every shard draws captions of its images, rewards them and
// learns from them. A reward of the program itself is asked for once for the whole batch, by the
// thread that trains, so that the program sees the same whatever the number of threads.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "captioning/learning/objectives/policy_loss.h"
#include "captioning/learning/objectives/rewards.h"
#include "captioning/learning/objectives/self_critical_config.h"
#include "captioning/learning/training/train_step.h"

namespace saccade {

struct ExperimentConfig;

class SelfCriticalStep {
 public:
  // All arguments must outlive this. config.seed is part of the draws' keys.
  SelfCriticalStep(CaptionModel& model, Optimizer& optimizer, const ExperimentConfig& config,
                   CaptionRewards rewards);

  // Makes update number `update` with learning rate lr, over the images of a batch; the batch's
  // captions are not used. Draws depend on (seed, update, place of the image in the batch, sample).
  // Throws DivergedError that names update, tensor and images when a loss or gradient is not
  // finite.
  UpdateReport run(const TrainBatch& batch, Index update, double lr);

  // As GradientStep::gather_moments().
  void gather_moments() { tapes_.gather_moments(); }

 private:
  // What a shard drew, and what it is worth.
  struct Draws {
    EncodedImages images{Var{}};
    std::vector<DecodedCaption> captions;    // [n * samples]
    std::vector<DecodedCaption> rivals;      // [n], of the greedy baseline; else empty
    std::vector<double> rival_rewards;       // of these
    std::vector<double> rewards, baselines;  // by caption
    std::vector<double> advantages;
    std::vector<double> word_log_probs, log_probs;  // of the words; of the words and the regions
    double reward_seconds = 0, seconds = 0;
  };
  struct Place {  // of a shard
    Index update = 0, first_image = 0, batch_captions = 0;
  };
  // Draws the captions of a shard and rewards them by metrics; learns from them.
  void draw(const TrainShard& shard, const Place& place, Tape& tape, Draws& draws) const;
  void learn(const Place& place, Tape& tape, Draws& draws) const;
  // Adds the rewards of the program itself to those of the captions that all shards drew.
  void add_own_rewards(const TrainBatch& batch);
  std::vector<double> rewards_of(const TrainShard& shard,
                                 const std::vector<DecodedCaption>& captions) const;
  UpdateReport report(const TrainBatch& batch, Index update) const;
  // The figures of a shard's report, to be added to those of others; sets `error` where log p of a
  // caption is not finite.
  std::vector<double> figures_of(const Draws& draws, const TrainShard& shard, Index update,
                                 std::string& error) const;

  CaptionModel* model_;
  SelfCriticalConfig config_;
  std::string selection_;
  SearchOptions sampling_, greedy_;
  CaptionRewards rewards_;
  ShardTapes tapes_;
  std::vector<Draws> draws_;  // one per shard
};

// The number of images per shard of that stage; a shard then has about train.shard captions.
Index self_critical_shard(const ExperimentConfig& config);

}  // namespace saccade

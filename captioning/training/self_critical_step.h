// One update of self-critical training: every shard draws captions of its images, rewards them and
// goes back through them; then the weights, as in TrainStep.
#pragma once

#include <memory>
#include <vector>

#include "captioning/objectives/policy_loss.h"
#include "captioning/objectives/rewards.h"
#include "captioning/training/train_step.h"

namespace saccade {

class SelfCriticalStep {
 public:
  // Everything must outlive this. config.seed keys the draws.
  SelfCriticalStep(Captioner& model, Optimizer& optimizer, const ExperimentConfig& config,
                   CaptionRewards rewards);

  // Update number `update` with learning rate lr, over the images of a batch; their captions there
  // are not used. Draws depend on (seed, update, place of the image in the batch, sample).
  // Throws DivergedError naming update, tensor and images when a loss or gradient is not finite.
  UpdateReport run(const TrainBatch& batch, Index update, double lr);

 private:
  struct Worker {
    Arena arena;
    Tape tape{arena};
    std::vector<DecodedCaption> captions;    // [n * samples]
    std::vector<double> rewards, baselines;  // by caption
    std::vector<double> advantages;
    std::vector<double> word_log_probs, log_probs;  // of the words; with those of the regions
    double reward_seconds = 0, seconds = 0;
  };
  struct Place {  // of a shard
    Index update = 0, first_image = 0, batch_captions = 0;
  };
  void run_shard(const TrainShard& shard, const Place& place, Worker& worker) const;
  std::vector<double> rewards_of(const TrainShard& shard,
                                 const std::vector<DecodedCaption>& captions) const;
  UpdateReport report(const TrainBatch& batch, Index update) const;

  Captioner* model_;
  SelfCriticalConfig config_;
  SelectionKind selection_;
  SearchOptions sampling_, greedy_;
  CaptionRewards rewards_;
  GradientStep gradient_step_;
  std::vector<std::unique_ptr<Worker>> workers_;  // one per shard, kept between updates
};

// Images a shard of that stage has, so that its captions are about train.shard.
Index self_critical_shard(const ExperimentConfig& config);

}  // namespace saccade

// The training loss of a shard of captions: cross-entropy, the doubly stochastic penalty and, for
// hard attention, the REINFORCE estimator of the variational bound (Xu et al. 2015, section 4).
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "captioning/decoders/decoder.h"
#include "core/attention/choosers.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// A batch's loss is the mean over its captions of
//   NLL_c + doubly_stochastic * sum_i (1 - sum_t alpha_ti)^2,
// NLL_c the sum over the caption's words. All weights are per caption: none depends on batch size.
struct CaptionLossOptions {
  double doubly_stochastic = 1;
  SelectionKind selection = SelectionKind::kSoft;
  HardValues hard{};  // read where selection is hard
  // Whether the penalty reaches the weights; the authors' code drops it under hard attention.
  enum class PenaltyGradient { kOn, kOff } penalty_gradient = PenaltyGradient::kOn;
};
CaptionLossOptions loss_options(const ObjectiveConfig& objective, const AttentionConfig& attention);

// Numbers packed by time [N], summed over the words of each caption.
std::vector<double> caption_sums(const PackedCaptions& captions, ConstView packed);

// What identifies a shard in a batch; random numbers depend on nothing else.
struct ShardKey {
  std::uint64_t seed = 0;
  std::uint64_t update = 0;
  Index first_caption = 0;   // of this shard in the batch
  Index batch_captions = 0;  // in the whole batch
};

// Moving average of the reward, b <- decay b + (1 - decay) mean; its first value is the first mean,
// because a start at 0 gives twenty updates of pure variance.
struct RewardBaseline {
  bool started = false;
  double value = 0;
  void update(double mean, double decay);
};

// Forward of a shard, kept until backward.
class ShardLoss {
 public:
  // Runs the decoder over the captions. With `chooser` given, it decides instead of the options'
  // selection (tests enumerate with it); captions it samples must then be all.
  ShardLoss(Tape& tape, const Decoder& decoder, Var features, PackedCaptions captions,
            const CaptionLossOptions& options, const ShardKey& key, Chooser* chooser = nullptr);

  const std::vector<double>& nll() const { return nll_; }  // by caption, nats
  const std::vector<double>& rewards() const {
    return rewards_;
  }                                                              // what REINFORCE weighs, as a cost
  const std::vector<bool>& sampled() const { return sampled_; }  // by caption
  const std::vector<double>& penalties() const { return penalties_; }
  const SequenceOutput& output() const { return output_; }
  const PackedCaptions& captions() const { return captions_; }

  // The gradient of this shard's part of the batch loss, given the baseline of the rewards.
  void backward(double baseline);

 private:
  Tape* tape_;
  PackedCaptions captions_;
  CaptionLossOptions options_;
  ShardKey key_;
  std::unique_ptr<Chooser> own_chooser_;
  ops::Reinforce estimator_;
  std::vector<Real> advantages_;
  SequenceOutput output_;
  Var penalty_;
  std::vector<double> nll_, rewards_, penalties_;
  std::vector<bool> sampled_;
};

// The baseline for this batch, from the shards' rewards in order; updates the moving average
// afterwards. Without a baseline: 0.
double batch_baseline(RewardBaseline& baseline, const CaptionLossOptions& options,
                      std::span<const ShardLoss* const> shards);

// The least value of the penalty for a caption of `words` words over `regions` regions: the weights
// of all words together are `words`, so the penalty cannot fall below (L - C)^2 / L.
double penalty_floor(Index words, Index regions);

}  // namespace SACCADE_NUMERIC
}  // namespace saccade

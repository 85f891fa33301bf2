// The training loss of a shard of captions: cross-entropy, the doubly stochastic penalty and, for
// hard attention, the REINFORCE estimator of the variational bound (Xu et al. 2015, section 4).
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "captioning/learning/objectives/coverage.h"
#include "captioning/learning/objectives/objective_config.h"
#include "captioning/learning/objectives/reward_baseline.h"
#include "captioning/learning/objectives/shard_supervision.h"
#include "captioning/model/decoders/decoder.h"
#include "core/attention/attention_config.h"
#include "core/attention/draws.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// How far training is. The ramps of the config depend on it.
struct TrainingProgress {
  Index update = 0;  // 0 is the first
  Index updates_per_epoch = 1;
};

// The loss of a batch is the mean over its captions of
//   NLL_c + doubly_stochastic * P_c,  P_c = sum_i gap(target - sum_t alpha_ti)^2,
// where NLL_c is the sum over the caption's words, and i goes over the unmasked regions.
// objective.coverage sets the target (1, T/L or tau) and the gap, and whether P_c is divided by the
// number of unmasked regions. All weights are per caption: none depends on the batch size. With
// label smoothing (Szegedy et al. 2016), NLL_c is the cross-entropy against (1 - e) onehot + e
// uniform, uniform over all words that can follow: <unk> and <eos> too, but not <pad> and <bos>. It
// changes the words' loss alone. What is reported, and what regions are rewarded with (costs),
// stays -log p of the true words, so that the estimator keeps climbing the bound of the likelihood.
struct CaptionLossOptions {
  double doubly_stochastic = 1;
  CoverageConfig coverage{};
  double label_smoothing = 0;     // e; not with a marginal likelihood, which has no logits
  double scheduled_sampling = 0;  // probability at this update (scheduled_sampling.h)
  std::string selection = "soft";
  // The estimator's values at this update. They are read where selection is hard.
  struct Hard {
    double lambda_r = 0, lambda_e = 0, expectation_share = 0, baseline_decay = 0;
    BaselineKind baseline = BaselineKind::kNone;
    CoinKind coin = CoinKind::kImage;
    RewardKind reward = RewardKind::kSum;
    HardLikelihood likelihood = HardLikelihood::kChoice;
    ProposalKind proposal = ProposalKind::kAttention;
    Index samples = 1;  // draws per caption; only leave_one_out takes more than one
  };
  Hard hard{};
  SupervisionWeights supervision{};
  double temperature = 0, gumbel_temperature = 0;  // at this update; 0: as in AttendContext
  // Whether the penalty's gradient reaches the weights; the authors' code drops it under hard
  // attention.
  enum class PenaltyGradient { kOn, kOff } penalty_gradient = PenaltyGradient::kOn;
};
CaptionLossOptions loss_options(const ObjectiveConfig& objective, const AttentionConfig& attention,
                                const TrainingProgress& progress);

// Sums numbers that are packed by time [N] over the words of each caption.
std::vector<double> caption_sums(const PackedCaptions& captions, ConstView packed);

// Identifies a shard in a batch. Random numbers depend on nothing else.
struct ShardKey {
  std::uint64_t seed = 0;
  std::uint64_t update = 0;
  Index first_caption = 0;   // of this shard in the batch
  Index batch_captions = 0;  // in the whole batch
};

// The forward pass of a shard, kept until backward. Under leave_one_out every caption stands in it
// `samples` times, one after the other, and what is reported by caption is the mean over these.
class ShardLoss {
 public:
  // Runs the decoder over the captions (captions.images has the image of each), after a first pass
  // that draws inputs where the options have scheduled sampling; all samples of a caption read the
  // same inputs. If `observer` is given, it chooses instead of the options' selection (tests
  // enumerate choices with it); then all captions have to be sampled.
  ShardLoss(Tape& tape, const Decoder& decoder, const EncodedImages& images,
            PackedCaptions captions, const CaptionLossOptions& options, const ShardKey& key,
            GlimpseObserver* observer = nullptr, const ShardTargets& targets = {});

  const std::vector<double>& nll() const { return nll_; }              // by caption, nats
  const std::vector<bool>& sampled() const { return sampled_; }        // by caption
  const std::vector<double>& penalties() const { return penalties_; }  // by caption
  const std::vector<Index>& regions() const { return regions_; }       // unmasked, by caption
  const ShardSupervision& supervision() const { return supervision_; }
  const SequenceOutput& output() const { return output_; }
  // The rows of the pass, with the words that were read. Each caption stands in it `samples` times.
  const PackedCaptions& rows() const { return captions_; }
  Index captions() const { return static_cast<Index>(nll_.size()); }
  Index words() const { return captions_.words() / options_.hard.samples; }

  // What REINFORCE weighs, as costs: of every word's choice [N] (expectations included), and,
  // below, the costs that moving averages see, in order.
  const std::vector<double>& costs() const { return costs_; }
  std::vector<DrawCost> draw_costs() const;

  // Computes the gradient of this shard's part of the batch loss, with the moving averages for this
  // batch.
  void backward(const RewardBaseline& moving);
  // cost - baseline of every choice that was drawn [N], and 0 where the expectation was taken.
  // Valid after backward().
  const std::vector<double>& advantages() const { return advantages_; }

 private:
  // The inputs of the pass, drawn in a pass of their own.
  std::vector<int> drawn_inputs(const Decoder& decoder, const AttentionMemory& memory,
                                GlimpseObserver* observer) const;
  void run(const Decoder& decoder, const EncodedImages& images, GlimpseObserver* observer,
           const ShardTargets& targets);
  // Sets what choices may be drawn from besides the weights.
  void propose(Index glimpses_per_word);
  // The costs of choices by the kind of reward, from -log p of every word [N].
  std::vector<double> costs_of(ConstView nll) const;
  // How many words the cost of the choice at word `step` of a row sums over. 0: nothing that is
  // counted depends on the choice, which is then not reinforced, and no average sees its cost.
  Index words_of_cost(Index row, Index step) const;
  // What the choice at word `step` of a row has cost so far, by the moving averages.
  double average_cost(const RewardBaseline& moving, Index row, Index step) const;
  // Computes the penalty of every row, and what is reported of it by caption.
  void penalise(Index regions);
  // The factor of a row's penalty, which includes the mean over regions.
  double penalty_scale(Index row) const;
  // What is subtracted from the costs, by choice [N].
  std::vector<double> baselines(const RewardBaseline& moving) const;
  // Calls f(n, t, r) for the word n of step t and row r.
  template <class F>
  void for_each_word(F f) const;

  Tape* tape_;
  PackedCaptions captions_;
  CaptionLossOptions options_;
  ShardKey key_;
  ShardSupervision supervision_;
  std::vector<Proposal> proposals_;  // by glimpse, from the maps of the located words
  std::unique_ptr<GlimpseObserver> own_observer_;
  ops::Reinforce estimator_;
  std::vector<Real> weights_;  // what the estimator reads: d loss / d log p of every choice
  SequenceOutput output_;
  Var penalty_;
  std::vector<double> nll_, penalties_, costs_, greedy_costs_, advantages_;
  std::vector<Index> regions_;
  std::vector<bool> sampled_;
};

// The moving averages for this batch, from the costs of the shards of all ranks in order: those of
// earlier batches, or its own where there was none. Then updates the averages.
RewardBaseline batch_baseline(RewardBaseline& moving, const CaptionLossOptions& options,
                              std::span<const ShardLoss* const> shards);

}  // namespace SACCADE_NUMERIC
}  // namespace saccade

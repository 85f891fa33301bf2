#include "captioning/objectives/caption_loss.h"

#include "core/ops/shape_ops.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

namespace {

std::unique_ptr<Chooser> make_training_chooser(const CaptionLossOptions& options,
                                               const ShardKey& key, Index captions) {
  const RandomKey random{key.seed, Stream::kAttention, key.update,
                         static_cast<std::uint64_t>(key.first_caption)};
  switch (options.selection) {
    case SelectionKind::kSoft:
      return nullptr;
    case SelectionKind::kArgmax:
      return std::make_unique<ArgmaxChooser>();
    case SelectionKind::kHard:
      return std::make_unique<TrainingChooser>(random,
                                               options.hard.coin == CoinKind::kImage
                                                   ? TrainingChooser::Coin::kImage
                                                   : TrainingChooser::Coin::kBatch,
                                               options.hard.expectation_share, captions);
  }
  throw InternalError("unknown selection");
}

}  // namespace

CaptionLossOptions loss_options(const ObjectiveConfig& objective,
                                const AttentionConfig& attention) {
  CaptionLossOptions options{.doubly_stochastic = objective.doubly_stochastic,
                             .selection = attention.selection};
  if (attention.selection == SelectionKind::kHard) {
    options.hard = resolved(attention.hard);
    if (attention.hard.profile == HardProfile::kArctic)
      options.penalty_gradient = CaptionLossOptions::PenaltyGradient::kOff;
  }
  return options;
}

std::vector<double> caption_sums(const PackedCaptions& captions, ConstView packed) {
  std::vector<double> sums(static_cast<std::size_t>(captions.captions()), 0);
  Index row = 0;
  for (const Index rows : captions.rows)
    for (Index c = 0; c < rows; ++c, ++row)
      sums[static_cast<std::size_t>(c)] += static_cast<double>(packed[row]);
  return sums;
}

void RewardBaseline::update(double mean, double decay) {
  value = started ? decay * value + (1 - decay) * mean : mean;
  started = true;
}

ShardLoss::ShardLoss(Tape& tape, const Decoder& decoder, Var features, PackedCaptions captions,
                     const CaptionLossOptions& options, const ShardKey& key, Chooser* chooser)
    : tape_(&tape), captions_(std::move(captions)), options_(options), key_(key) {
  const auto count = static_cast<std::size_t>(captions_.captions());
  advantages_.assign(count, 0);
  penalties_.assign(count, 0);
  sampled_.assign(count, false);
  if (!chooser) {
    own_chooser_ = make_training_chooser(options, key, captions_.captions());
    chooser = own_chooser_.get();
    if (const auto* training = dynamic_cast<const TrainingChooser*>(chooser))
      for (std::size_t c = 0; c < count; ++c) sampled_[c] = !training->expectation()[c];
  } else {
    sampled_.assign(count, true);
  }
  AttendContext context{.chooser = chooser};
  if (options.selection == SelectionKind::kHard) {
    estimator_ = {.advantage = advantages_.data(),
                  .entropy_weight = static_cast<Real>(options.hard.lambda_e /
                                                      static_cast<double>(key.batch_captions))};
    context.estimator = &estimator_;
  }
  output_ = decoder.sequence(tape, captions_, decoder.prepare(tape, features, 1), context);

  nll_ = caption_sums(captions_, output_.nll.value());
  rewards_ = nll_;
  if (options.selection == SelectionKind::kHard && options.hard.reward == RewardKind::kMean)
    for (std::size_t c = 0; c < count; ++c)
      rewards_[c] /= static_cast<double>(captions_.length(static_cast<Index>(c)));
  if (options.doubly_stochastic > 0) {
    penalty_ = ops::doubly_stochastic(output_.weights);
    for (std::size_t c = 0; c < count; ++c)
      penalties_[c] = static_cast<double>(penalty_.value()[static_cast<Index>(c)]);
  }
}

void ShardLoss::backward(double baseline) {
  const double share = 1 / static_cast<double>(key_.batch_captions);
  for (std::size_t c = 0; c < advantages_.size(); ++c)
    advantages_[c] = static_cast<Real>(options_.hard.lambda_r * (rewards_[c] - baseline) * share);
  const std::vector<Real> word_weights(static_cast<std::size_t>(captions_.words()),
                                       static_cast<Real>(share));
  std::vector<Var> terms{ops::dot_constant(output_.nll, word_weights)};
  if (penalty_ && options_.penalty_gradient == CaptionLossOptions::PenaltyGradient::kOn) {
    const std::vector<Real> weights(nll_.size(),
                                    static_cast<Real>(options_.doubly_stochastic * share));
    terms.push_back(ops::dot_constant(penalty_, weights));
  }
  terms.insert(terms.end(), output_.surrogates.begin(), output_.surrogates.end());
  tape_->backward(ops::sum(terms));
}

double batch_baseline(RewardBaseline& baseline, const CaptionLossOptions& options,
                      std::span<const ShardLoss* const> shards) {
  if (options.selection != SelectionKind::kHard || options.hard.baseline == BaselineKind::kNone)
    return 0;
  double sum = 0, count = 0;
  for (const ShardLoss* shard : shards)
    for (const double reward : shard->rewards()) sum += reward, count += 1;
  if (count == 0) return baseline.value;
  const double used = baseline.started ? baseline.value : sum / count;
  baseline.update(sum / count, options.hard.baseline_decay);
  return used;
}

double penalty_floor(Index words, Index regions) {
  const double missing = static_cast<double>(regions - words);
  return missing * missing / static_cast<double>(regions);
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade

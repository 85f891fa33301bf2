#include "core/attention/hard_config.h"

#include "core/base/error.h"
#include "core/config/fields.h"

namespace saccade {

void HardConfig::fields(Section& v) {
  v.field("profile", profile, "the published settings that give every value below that is null");
  v.field("likelihood", likelihood, "how the probability of a word follows from the map");
  v.field("lambda_r", lambda_r, "weight of the REINFORCE term", at_least(0));
  v.field("lambda_e", lambda_e, "weight of the entropy bonus", at_least(0));
  v.field("expectation_share", expectation_share,
          "probability of taking the expectation instead of a draw", between(0, 1));
  v.field("baseline", baseline, "what is subtracted from the reward");
  v.field("baseline_decay", baseline_decay, "decay of the moving averages (ema, ema_per_length)",
          between_open_end(0, 1));
  v.field("samples", samples, "draws per caption", between(2, 256))
      .only_with("attention.hard.baseline", BaselineKind::kLeaveOneOut);
  v.field("proposal", proposal, "the distribution that regions are drawn from in training");
  v.field("coin", coin, "the unit for which sample or expectation is chosen");
  v.field("reward", reward, "the reward of a caption");
}

namespace {

const HardValues kSatPaper{.lambda_r = Ramp::constant(0.1),
                           .lambda_e = Ramp::constant(0.002),
                           .expectation_share = Ramp::constant(0.5),
                           .baseline_decay = 0.9,
                           .baseline = BaselineKind::kEma,
                           .coin = CoinKind::kImage,
                           .reward = RewardKind::kSum};
// The authors' code differs from their paper in the last two values.
const HardValues kArctic{.lambda_r = Ramp::constant(0.1),
                         .lambda_e = Ramp::constant(0.002),
                         .expectation_share = Ramp::constant(0.5),
                         .baseline_decay = 0.9,
                         .baseline = BaselineKind::kEma,
                         .coin = CoinKind::kBatch,
                         .reward = RewardKind::kMean};

}  // namespace

HardValues resolved(const HardConfig& config) {
  if (config.profile == HardProfile::kCustom) {
    const bool complete = config.lambda_r && config.lambda_e && config.expectation_share &&
                          config.baseline && config.baseline_decay && config.coin && config.reward;
    if (!complete) {
      throw UsageError(
          "attention.hard: profile 'custom' needs lambda_r, lambda_e, expectation_share, baseline, "
          "baseline_decay, coin and reward; give all of them or choose sat_paper or arctic");
    }
  }
  const HardValues& profile = config.profile == HardProfile::kArctic ? kArctic : kSatPaper;
  return {.lambda_r = config.lambda_r.value_or(profile.lambda_r),
          .lambda_e = config.lambda_e.value_or(profile.lambda_e),
          .expectation_share = config.expectation_share.value_or(profile.expectation_share),
          .baseline_decay = config.baseline_decay.value_or(profile.baseline_decay),
          .baseline = config.baseline.value_or(profile.baseline),
          .coin = config.coin.value_or(profile.coin),
          .reward = config.reward.value_or(profile.reward)};
}

}  // namespace saccade

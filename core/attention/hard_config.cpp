#include "core/attention/hard_config.h"

#include "core/base/error.h"

namespace saccade {

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

// The section `attention.hard`: the estimator of hard attention.
#pragma once

#include <cstdint>
#include <optional>

#include "core/attention/hard_likelihood.h"
#include "core/base/enum_names.h"
#include "core/config/ramp.h"

namespace saccade {

class Section;

enum class HardProfile { kSatPaper, kArctic, kCustom };
constexpr auto enum_table(HardProfile) {
  using enum HardProfile;
  return enum_rows<HardProfile>({
      {kSatPaper, "sat_paper", "Show, Attend and Tell as published: coin image, reward sum"},
      {kArctic, "arctic", "as in the authors' code: coin batch, reward mean"},
      {kCustom, "custom", "every value of the section must be given"},
  });
}

enum class BaselineKind { kNone, kEma, kEmaPerLength, kLearned, kGreedy, kLeaveOneOut };
constexpr auto enum_table(BaselineKind) {
  using enum BaselineKind;
  return enum_rows<BaselineKind>({
      {kNone, "none", "nothing"},
      {kEma, "ema", "the moving average of the reward, which starts with the first batch"},
      {kEmaPerLength, "ema_per_length",
       "one moving average for each number of words that the reward sums over"},
      {kLearned, "learned",
       "ema_per_length plus the output of a linear value head on the decoder's state"},
      {kGreedy, "greedy", "the reward of the same caption with the argmax region at every word"},
      {kLeaveOneOut, "leave_one_out", "the mean reward of the caption's other draws (samples)"},
  });
}

// What the regions that hard attention learns from are drawn from.
enum class ProposalKind { kAttention, kLocalizer };
constexpr auto enum_table(ProposalKind) {
  using enum ProposalKind;
  return enum_rows<ProposalKind>({
      {kAttention, "attention", "the attention's own weights (Xu et al. 2015)"},
      {kLocalizer, "localizer",
       "the localizer's map of the word, with a probability that is higher the more clearly the "
       "picture shows the word, and otherwise the attention's own weights; the attention learns to "
       "follow by objective.supervision.localizer (variational attention, Deng et al. 2018)"},
  });
}

enum class CoinKind { kImage, kBatch };
constexpr auto enum_table(CoinKind) {
  using enum CoinKind;
  return enum_rows<CoinKind>({
      {kImage, "image", "one decision per caption"},
      {kBatch, "batch", "one decision per batch"},
  });
}

enum class RewardKind { kSum, kMean, kToGo };
constexpr auto enum_table(RewardKind) {
  using enum RewardKind;
  return enum_rows<RewardKind>({
      {kSum, "sum", "log p of the caption, as in the paper's lower bound"},
      {kMean, "mean", "log p per word, as in the authors' code; biased"},
      {kToGo, "to_go",
       "log p of the words from the drawn region on, which are all that the draw can change"},
  });
}

// The values that are null here come from the profile; see resolved(HardConfig).
struct HardConfig {
  HardProfile profile = HardProfile::kSatPaper;
  HardLikelihood likelihood = HardLikelihood::kChoice;
  std::optional<Ramp> lambda_r, lambda_e, expectation_share;
  std::optional<double> baseline_decay;
  std::optional<BaselineKind> baseline;
  std::optional<CoinKind> coin;
  std::optional<RewardKind> reward;
  std::int64_t samples = 4;
  ProposalKind proposal = ProposalKind::kAttention;

  void fields(Section& v);
};

// The estimator's values, with the profile's where the user gave none. Throws UsageError when the
// profile is `custom` and a value is missing.
struct HardValues {
  Ramp lambda_r, lambda_e, expectation_share;
  double baseline_decay;
  BaselineKind baseline;
  CoinKind coin;
  RewardKind reward;
};
HardValues resolved(const HardConfig& config);

}  // namespace saccade

#include "experiments/check_config.h"

#include <algorithm>

#include "captioning/decoders/decoder_parts.h"
#include "captioning/model.h"
#include "captioning/training/stages.h"
#include "core/attention/make_attention.h"
#include "core/base/error.h"

namespace saccade {

namespace {

void check_self_critical(const SelfCriticalConfig& config, const AttentionConfig& attention) {
  if (!config.start) return;
  if (attention.selection == SelectionKind::kGumbelSt)
    throw UsageError(
        "objective.self_critical needs another attention.selection than gumbel_st: its captions "
        "are "
        "drawn without the relaxation, so attention would learn nothing; choose soft or hard");
  if (attention.selection == SelectionKind::kHard &&
      attention.hard.likelihood == HardLikelihood::kMarginal)
    throw UsageError(
        "objective.self_critical needs attention.hard.likelihood choice: its captions are drawn "
        "with their regions");
  if (config.baseline == SelfCriticalBaseline::kLeaveOneOut && config.samples < 2)
    throw UsageError(
        "objective.self_critical.baseline is leave_one_out and samples is 1: there is no other "
        "sample; draw at least 2, or choose greedy");
  const auto& weights = config.reward.weights;
  if (std::all_of(weights.begin(), weights.end(), [](double weight) { return weight == 0; }))
    throw UsageError(
        "objective.self_critical.reward: all weights are 0; give one metric a weight, say "
        "CIDEr_D: 1");
}

}  // namespace

// The parts know what they cannot be made of.
void check_config(const ExperimentConfig& config) {
  resolved(config.attention.hard);
  check_attention(config.attention);
  check_decoder(config.decoder, config.attention);
  Captioner::check(config);
  constexpr Index kEpoch = 1'000'000;  // updates; the data would tell
  const Stages unused_stages(config, kEpoch, kEpoch);
  check_self_critical(config.objective.self_critical, config.attention);
}

}  // namespace saccade

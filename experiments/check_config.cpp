#include "experiments/check_config.h"

#include <algorithm>

#include "captioning/model.h"
#include "captioning/training/stages.h"
#include "core/attention/make_attention.h"
#include "core/base/error.h"

namespace saccade {

namespace {

void check_self_critical(const SelfCriticalConfig& config) {
  if (!config.start) return;
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
  Captioner::check(config);
  constexpr Index kEpoch = 1'000'000;  // updates; the data would tell
  const Stages unused_stages(config, kEpoch, kEpoch);
  check_self_critical(config.objective.self_critical);
}

}  // namespace saccade

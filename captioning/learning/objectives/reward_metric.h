// The metrics that a reward of self-critical training is made of: one enumerator for each line of
// the registry.
#pragma once

#include "core/base/enum_names.h"

namespace saccade {

enum class RewardMetric {
#define SACCADE_REWARD(name, enumerator, weight, text) enumerator,
#include "captioning/learning/objectives/rewards.def"
#undef SACCADE_REWARD
};
constexpr auto enum_table(RewardMetric) {
  using enum RewardMetric;
  return enum_rows<RewardMetric>({
#define SACCADE_REWARD(name, enumerator, weight, text) {enumerator, #name, text},
#include "captioning/learning/objectives/rewards.def"
#undef SACCADE_REWARD
  });
}

}  // namespace saccade

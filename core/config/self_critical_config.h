// The part of an experiment's config that is about self-critical training.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "core/config/choices.h"
#include "core/config/config.h"

namespace saccade {

// What a caption is worth in self-critical training: a weighted sum of metrics.
struct RewardConfig {
  static constexpr std::array kDefaults = {
#define SACCADE_REWARD(name, enumerator, weight, text) double{weight},
#include "core/config/rewards.def"
#undef SACCADE_REWARD
  };
  std::array<double, kDefaults.size()> weights = kDefaults;  // by RewardMetric

  double weight(RewardMetric metric) const { return weights[static_cast<std::size_t>(metric)]; }
  template <class V>
  void fields(V& v) {
    for (const auto& row : enum_table(RewardMetric{}))
      v.field(std::string(row.name), weights[static_cast<std::size_t>(row.value)],
              std::string(row.doc), at_least(0));
  }
};

struct SelfCriticalConfig {
  std::optional<Stop> start;
  double lr = 5e-5;
  std::optional<double> final_lr;
  SelfCriticalBaseline baseline = SelfCriticalBaseline::kLeaveOneOut;
  std::int64_t samples = 5;
  double temperature = 1;
  bool dropout = false;
  RewardConfig reward;

  template <class V>
  void fields(V& v) {
    v.field("start", start, "when it takes over from `type`: 10e, 5000u or 0u; null = never",
            at_least(0));
    v.field("lr", lr, "its learning rate", above(0));
    v.field("final_lr", final_lr,
            "the rate falls to this on half a cosine to the end of the run; null: it stays",
            at_least(0));
    v.field("baseline", baseline, "what is subtracted from a caption's reward");
    v.field("samples", samples, "captions drawn for each of the train.batch images of an update",
            between(1, 1000));
    v.field("temperature", temperature,
            "of the policy that is drawn from and learned, below 1: nearer to the best caption",
            above(0));
    v.field("dropout", dropout, "dropout where the drawn captions are learned; never in drawing");
    v.section("reward", reward, "weights of the metrics a caption's reward is made of");
  }
};

}  // namespace saccade

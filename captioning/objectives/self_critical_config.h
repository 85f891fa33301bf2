// The section `objective.self_critical`: self-critical training.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "captioning/objectives/reward_metric.h"
#include "core/base/enum_names.h"
#include "core/config/config.h"

namespace saccade {

enum class SelfCriticalBaseline { kLeaveOneOut, kGreedy };
constexpr auto enum_table(SelfCriticalBaseline) {
  using enum SelfCriticalBaseline;
  return enum_rows<SelfCriticalBaseline>({
      {kLeaveOneOut, "leave_one_out", "the mean reward of the image's other samples"},
      {kGreedy, "greedy", "the reward of the greedy caption, with the argmax region at every word"},
  });
}

// The reward of a caption in self-critical training: a weighted sum of metrics.
struct RewardConfig {
  static constexpr std::array kDefaults = {
#define SACCADE_REWARD(name, enumerator, weight, text) double{weight},
#include "captioning/objectives/rewards.def"
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
    v.field("start", start,
            "when it replaces the loss of the references: 10e, 5000u or 0u; null = never",
            at_least(0));
    v.field("lr", lr, "learning rate of this stage", above(0));
    v.field(
        "final_lr", final_lr,
        "learning rate at the end of the run, reached on half a cosine; null = it stays the same",
        at_least(0));
    v.field("baseline", baseline, "what is subtracted from a caption's reward");
    v.field("samples", samples, "captions drawn for each of the train.batch images of an update",
            between(1, 1000));
    v.field("temperature", temperature,
            "temperature of the policy that is drawn from and learned; below 1, draws are nearer "
            "to the best caption",
            above(0));
    v.field("dropout", dropout,
            "dropout while drawn captions are learned; never while they are drawn");
    v.section("reward", reward, "weights of the metrics that a caption's reward is the sum of");
  }
};

}  // namespace saccade

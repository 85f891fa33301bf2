// The section `objective.self_critical`: self-critical training.
#pragma once

#include <cstdint>
#include <optional>

#include "core/base/enum_names.h"
#include "core/config/stop.h"

namespace saccade {

class Section;

enum class SelfCriticalBaseline { kLeaveOneOut, kGreedy };
constexpr auto enum_table(SelfCriticalBaseline) {
  using enum SelfCriticalBaseline;
  return enum_rows<SelfCriticalBaseline>({
      {kLeaveOneOut, "leave_one_out", "the mean reward of the image's other samples"},
      {kGreedy, "greedy", "the reward of the greedy caption, with the argmax region at every word"},
  });
}

// The reward of a caption in self-critical training: a weighted sum of metrics and of what the
// program that trains computes (rewards.h).
struct RewardConfig {
  double cider_d = 1, cider = 0, bleu_4 = 0, own = 0;

  bool any() const { return cider_d > 0 || cider > 0 || bleu_4 > 0 || own > 0; }
  void fields(Section& v);
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

  void fields(Section& v);
};

}  // namespace saccade

// Moving averages of the costs of hard attention's choices, to be subtracted from these costs.
#pragma once

#include <span>
#include <vector>

#include "core/attention/hard_config.h"
#include "core/base/real.h"

namespace saccade {

// Whether a baseline comes from the moving averages, and not from the shard alone.
constexpr bool has_average(BaselineKind kind) {
  return kind == BaselineKind::kEma || kind == BaselineKind::kEmaPerLength ||
         kind == BaselineKind::kLearned;
}

// The cost of one draw: -log p of a number of words.
struct DrawCost {
  double value = 0;
  Index words = 0;
};

struct RewardBaseline {
  // b <- decay b + (1 - decay) mean. The first value is the first mean, because a start at 0 would
  // give twenty updates of nothing but variance.
  struct Average {
    bool started = false;
    double value = 0;
    void update(double mean, double decay);
  };
  Average all;
  std::vector<Average> by_length;  // [n], of costs over n words (ema_per_length, learned)

  // What is subtracted from a cost over `words` words: 0 for the kinds without an average.
  double at(BaselineKind kind, Index words) const;
  // Takes the costs of a batch into the averages. With decay 1, only averages that have not started
  // change.
  void update(std::span<const DrawCost> costs, double decay);
};

}  // namespace saccade

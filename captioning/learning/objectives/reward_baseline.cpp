#include "captioning/learning/objectives/reward_baseline.h"

#include <algorithm>

namespace saccade {

void RewardBaseline::Average::update(double mean, double decay) {
  value = started ? decay * value + (1 - decay) * mean : mean;
  started = true;
}

double RewardBaseline::at(BaselineKind kind, Index words) const {
  if (!has_average(kind)) return 0;
  if (kind == BaselineKind::kEma) return all.value;
  const auto n = static_cast<std::size_t>(words);
  return n < by_length.size() && by_length[n].started ? by_length[n].value : all.value;
}

void RewardBaseline::update(std::span<const DrawCost> costs, double decay) {
  if (costs.empty()) return;
  double sum = 0;
  std::vector<double> sums, counts;
  for (const DrawCost& cost : costs) {
    const auto n = static_cast<std::size_t>(cost.words);
    if (n >= sums.size()) sums.resize(n + 1, 0), counts.resize(n + 1, 0);
    sums[n] += cost.value, counts[n] += 1;
    sum += cost.value;
  }
  all.update(sum / static_cast<double>(costs.size()), decay);
  by_length.resize(std::max(by_length.size(), sums.size()));
  for (std::size_t n = 0; n < sums.size(); ++n)
    if (counts[n] > 0) by_length[n].update(sums[n] / counts[n], decay);
}

}  // namespace saccade

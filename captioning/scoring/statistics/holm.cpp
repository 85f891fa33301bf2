#include "captioning/scoring/statistics/holm.h"

#include <algorithm>
#include <cmath>

namespace saccade {

std::vector<double> holm(const std::vector<double>& p_values) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < p_values.size(); ++i)
    if (!std::isnan(p_values[i])) order.push_back(i);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return p_values[a] < p_values[b]; });
  std::vector<double> out = p_values;
  double least = 0;
  for (std::size_t k = 0; k < order.size(); ++k) {
    const auto left = static_cast<double>(order.size() - k);
    least = std::max(least, std::min(1.0, left * p_values[order[k]]));
    out[order[k]] = least;
  }
  return out;
}

}  // namespace saccade

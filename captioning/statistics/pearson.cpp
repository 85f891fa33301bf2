#include "captioning/statistics/pearson.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/base/error.h"

namespace saccade {

double pearson(std::span<const double> a, std::span<const double> b) {
  SACCADE_CHECK(a.size() == b.size(), "[pearson] ", a.size(), " numbers against ", b.size());
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  if (a.size() < 2) return kNone;
  const auto mean = [](std::span<const double> x) {
    return std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
  };
  const double mean_a = mean(a), mean_b = mean(b);
  double aa = 0, bb = 0, ab = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double da = a[i] - mean_a, db = b[i] - mean_b;
    aa += da * da;
    bb += db * db;
    ab += da * db;
  }
  // Equal numbers whose mean was rounded do not vary, either.
  const auto flat = [](std::span<const double> x) {
    return std::all_of(x.begin(), x.end(), [&](double each) { return each == x[0]; });
  };
  if (flat(a) || flat(b) || !(aa > 0 && bb > 0)) return kNone;
  return std::clamp(ab / (std::sqrt(aa) * std::sqrt(bb)), -1.0, 1.0);
}

}  // namespace saccade

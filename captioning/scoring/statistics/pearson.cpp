#include "captioning/scoring/statistics/pearson.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
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

double williams_p_value(double r_a, double r_b, double r_ab, double observations) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  if (!(observations >= 4) || !std::isfinite(r_a + r_b + r_ab)) return kNone;
  if (r_a == r_b) return 1;
  const double n = observations;
  const double determinant =
      std::max(0.0, 1 - r_a * r_a - r_b * r_b - r_ab * r_ab + 2 * r_a * r_b * r_ab);
  const double mean = (r_a + r_b) / 2;
  const double variance = 2 * determinant * (n - 1) / (n - 3) + mean * mean * std::pow(1 - r_ab, 3);
  const double t = (r_a - r_b) * std::sqrt((n - 1) * (1 + r_ab) / variance);
  if (!std::isfinite(t)) return kNone;
  return 2 * boost::math::cdf(boost::math::complement(boost::math::students_t(n - 3), std::abs(t)));
}

}  // namespace saccade

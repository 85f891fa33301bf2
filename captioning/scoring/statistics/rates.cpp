#include "captioning/scoring/statistics/rates.h"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <limits>

#include "captioning/scoring/metrics/metric_registry.h"
#include "core/base/error.h"

namespace saccade {

Interval wilson_interval(double hits, double trials, double level) {
  constexpr double kUnknownRate = std::numeric_limits<double>::quiet_NaN();
  if (!(trials > 0)) return {kUnknownRate, kUnknownRate};
  const double z =
      boost::math::quantile(boost::math::complement(boost::math::normal(), (1 - level) / 2));
  const double share = hits / trials, extra = z * z / trials;
  const double middle = (share + extra / 2) / (1 + extra);
  const double half =
      z / (1 + extra) * std::sqrt(share * (1 - share) / trials + extra / (4 * trials));
  // The ends of a rate of 0 or 1 are exact, whatever is rounded.
  return {.low = hits <= 0 ? 0 : std::max(0.0, middle - half),
          .high = hits >= trials ? 1 : std::min(1.0, middle + half)};
}

bool is_rate(const ImageStatistics& statistics) {
  const MetricInfo* info = find_metric(statistics.metric);
  if (info == nullptr || info->unit != "share" || statistics.width > 2) return false;
  for (std::size_t i = 0; i < static_cast<std::size_t>(statistics.images); ++i) {
    const auto row = statistics.row(i);
    const double hits = row[0], trials = statistics.width == 1 ? 1 : row[1];
    if (!(hits >= 0 && hits <= trials) || hits != std::floor(hits) || trials != std::floor(trials))
      return false;
  }
  return statistics.images > 0;
}

Interval rate_interval(const ImageStatistics& rate, double level) {
  SACCADE_CHECK(is_rate(rate), "[rate interval] ", rate.metric, " is no rate");
  double hits = 0, trials = 0, squares = 0, images = 0;
  const auto count = static_cast<std::size_t>(rate.images);
  const auto trials_of = [&](std::size_t i) { return rate.width == 1 ? 1.0 : rate.row(i)[1]; };
  for (std::size_t i = 0; i < count; ++i) {
    hits += rate.row(i)[0];
    trials += trials_of(i);
    squares += trials_of(i) * trials_of(i);
    images += trials_of(i) > 0 ? 1 : 0;
  }
  if (images < 2) return wilson_interval(0, 0, level);
  // The largest design effect: all trials of an image have the same result.
  const double most = squares / trials, share = hits / trials;
  double effect = most;
  if (hits > 0 && hits < trials) {
    double spread = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const double rest = rate.row(i)[0] - share * trials_of(i);
      spread += rest * rest;
    }
    const double clustered = images / (images - 1) * spread / (trials * trials);
    effect = std::clamp(clustered / (share * (1 - share) / trials), 1.0, std::max(1.0, most));
  }
  return wilson_interval(hits / effect, trials / effect, level);
}

}  // namespace saccade

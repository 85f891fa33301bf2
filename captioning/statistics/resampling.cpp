#include "captioning/statistics/resampling.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/error.h"
#include "core/base/random.h"

namespace saccade {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// The rank of an interval's lower end, counted from 1.
std::size_t lower_rank(Index replicates, double level) {
  if (!(level > 0 && level < 1)) {
    throw UsageError(str("interval: the level must lie between 0 and 1; got ", level));
  }
  constexpr double kRounding = 1e-9;  // 1 - 0.9 is a little less than 0.1
  const double tail = (1 - level) / 2 + kRounding;
  const auto rank = static_cast<Index>(static_cast<double>(replicates + 1) * tail);
  if (rank < 1) {
    throw UsageError(str("interval: ", replicates, " replicates are too few for a level of ", level,
                         "; use at least ", std::ceil(1 / tail) - 1));
  }
  return static_cast<std::size_t>(rank);
}

}  // namespace

std::vector<std::vector<double>> resample_scores(const RowTable& table,
                                                 const Resampling& resampling) {
  lower_rank(resampling.replicates, resampling.level);  // fails before the work instead of after it
  std::vector<std::vector<double>> scores(
      table.size(), std::vector<double>(static_cast<std::size_t>(resampling.replicates)));
  const auto images = static_cast<std::uint64_t>(table.images());
  if (images == 1) {  // it is drawn in every replicate, which tells nothing about other images
    for (auto& replicates : scores) std::fill(replicates.begin(), replicates.end(), kNaN);
    return scores;
  }
  const auto draw = [&](Index replicate, std::span<double> weights) {
    Random random(
        {resampling.seed, Stream::kBootstrap, static_cast<std::uint64_t>(replicate), images});
    for (std::uint64_t i = 0; i < images; ++i) weights[random.below(images)] += 1;
  };
  const auto score = [&](Index replicate, std::span<const double> sums) {
    for (std::size_t s = 0; s < table.size(); ++s) {
      scores[s][static_cast<std::size_t>(replicate)] =
          table.statistics(s).score(table.sums_of(s, sums), table.images());
    }
  };
  for_weighted_sums(table, resampling.replicates, draw, score);
  return scores;
}

Index count_undefined(std::span<const double> values) {
  return std::count_if(values.begin(), values.end(), [](double v) { return std::isnan(v); });
}

Interval percentile_interval(std::vector<double> values, double level) {
  const std::size_t rank = lower_rank(std::ssize(values), level);
  if (count_undefined(values) > 0) return {kNaN, kNaN};
  std::sort(values.begin(), values.end());
  return {values[rank - 1], values[values.size() - rank]};
}

double score_difference(double a, double b) {
  constexpr double kRounding = 1e-10;
  const double difference = a - b;
  return std::abs(difference) <= kRounding * (std::abs(a) + std::abs(b)) ? 0 : difference;
}

double sign_p_value(std::span<const double> differences) {
  if (count_undefined(differences) > 0) return kNaN;
  const auto below =
      std::count_if(differences.begin(), differences.end(), [](double d) { return d <= 0; });
  const auto above =
      std::count_if(differences.begin(), differences.end(), [](double d) { return d >= 0; });
  const auto count = static_cast<double>(1 + std::min(below, above));
  return std::min(1.0, 2 * count / static_cast<double>(differences.size() + 1));
}

}  // namespace saccade

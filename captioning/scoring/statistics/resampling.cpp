#include "captioning/scoring/statistics/resampling.h"

#include <algorithm>
#include <cmath>
#include <iterator>
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

std::vector<double> defined_values(std::span<const double> values) {
  std::vector<double> out;
  if (static_cast<double>(count_undefined(values)) >
      kMostUndefined * static_cast<double>(values.size()))
    return out;
  std::copy_if(values.begin(), values.end(), std::back_inserter(out),
               [](double v) { return !std::isnan(v); });
  return out;
}

Interval percentile_interval(std::span<const double> values, double level) {
  lower_rank(std::ssize(values), level);  // an error of the caller, whatever the values are
  std::vector<double> sorted = defined_values(values);
  if (sorted.empty()) return {kNaN, kNaN};
  const std::size_t rank = lower_rank(std::ssize(sorted), level);
  std::sort(sorted.begin(), sorted.end());
  return {sorted[rank - 1], sorted[sorted.size() - rank]};
}

double variance_of(std::span<const double> values) {
  const std::vector<double> defined = defined_values(values);
  const auto count = static_cast<double>(defined.size());
  double sum = 0, squares = 0;
  for (const double v : defined) sum += v;
  for (const double v : defined) squares += (v - sum / count) * (v - sum / count);
  return defined.size() < 2 ? kNaN : squares / (count - 1);
}

double score_difference(double a, double b) {
  constexpr double kRounding = 1e-10;
  const double difference = a - b;
  return std::abs(difference) <= kRounding * (std::abs(a) + std::abs(b)) ? 0 : difference;
}

}  // namespace saccade

#include "captioning/scoring/metrics/meteor/stats.h"

#include <algorithm>
#include <cmath>

namespace saccade {

namespace {

using Sides = MeteorStats::Sides;

constexpr double kAlpha = 0.85, kBeta = 0.2, kGamma = 0.6, kDelta = 0.75;
constexpr std::array<double, MeteorStats::kModules> kWeights = {1.0, 0.6, 0.8, 0.6};

Sides& operator+=(Sides& sum, const Sides& other) {
  sum.hypothesis += other.hypothesis;
  sum.reference += other.reference;
  return sum;
}

bool matches_as_one(const MeteorStats& stats) {
  return stats.chunks == 1 && stats.matched == stats.length;
}

// Matched words over all words of one side. Content words are weighted by delta, function words by
// the rest, and matches by their module.
double coverage(const MeteorStats& stats, std::int64_t Sides::*side) {
  const auto weighed = [](std::int64_t content, std::int64_t function) {
    return kDelta * static_cast<double>(content) + (1 - kDelta) * static_cast<double>(function);
  };
  const double length = weighed(stats.length.*side - stats.function.*side, stats.function.*side);
  double matched = 0;
  for (std::size_t i = 0; i < kWeights.size(); ++i) {
    matched +=
        kWeights[i] * weighed(stats.matched_content[i].*side, stats.matched_function[i].*side);
  }
  return matched / length;
}

}  // namespace

MeteorStats& MeteorStats::operator+=(const MeteorStats& segment) {
  length += segment.length;
  function += segment.function;
  for (std::size_t i = 0; i < kModules; ++i) {
    matched_content[i] += segment.matched_content[i];
    matched_function[i] += segment.matched_function[i];
  }
  if (!matches_as_one(segment)) chunks += segment.chunks;
  matched += segment.matched;
  return *this;
}

std::array<std::int64_t, MeteorStats::kValues> MeteorStats::values() const {
  std::array<std::int64_t, kValues> out{};
  MeteorStats copy = *this;
  std::size_t at = 0;
  copy.for_values([&](const std::int64_t& value) { out[at++] = value; });
  return out;
}

MeteorStats MeteorStats::from(const std::array<std::int64_t, kValues>& values) {
  MeteorStats out;
  std::size_t at = 0;
  out.for_values([&](std::int64_t& value) { value = values[at++]; });
  return out;
}

double meteor_score(const MeteorStats& stats) {
  const double precision = coverage(stats, &Sides::hypothesis);
  const double recall = coverage(stats, &Sides::reference);
  const double mean = 1 / ((1 - kAlpha) / precision + kAlpha / recall);
  const double matched =
      static_cast<double>(stats.matched.hypothesis + stats.matched.reference) / 2;
  const double fragmentation =
      matches_as_one(stats) ? 0 : static_cast<double>(stats.chunks) / matched;
  const double score = mean * (1 - kGamma * std::pow(fragmentation, kBeta));
  return std::isnan(score) ? 0 : std::max(score, 0.0);
}

}  // namespace saccade

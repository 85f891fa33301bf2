// Kendall's rank correlation of two vectors with ties: how well a metric orders captions as people
// do. tau-b suits scales with about the same number of steps, tau-c scales with different numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "core/base/real.h"

namespace saccade {

// The pairs i < j of n observations (x_i, y_i), exact for n up to 4e9.
// concordant + discordant + tied_x + tied_y - tied_both = pairs.
struct KendallCounts {
  Index observations = 0;
  Index distinct_x = 0, distinct_y = 0;  // different values
  std::int64_t pairs = 0;                // n (n - 1) / 2
  std::int64_t concordant = 0, discordant = 0;
  std::int64_t tied_x = 0, tied_y = 0;  // both count the pairs that are tied in x and y
  std::int64_t tied_both = 0;
};

// Takes O(n log n) (Knight, JASA 61, 1966). Throws DataError when the vectors differ in length or
// hold a NaN.
KendallCounts count_kendall(std::span<const double> x, std::span<const double> y);

// (concordant - discordant) / sqrt((pairs - tied_x) (pairs - tied_y)). Nothing when all x or all y
// are tied, or when there are fewer than two. Kendall, The treatment of ties, Biometrika 33, 1945.
std::optional<double> tau_b(const KendallCounts& counts);

// 2 m (concordant - discordant) / (n^2 (m - 1)), where m is the smaller number of different values.
// Nothing where tau_b is nothing. Stuart, Biometrika 40, 1953.
std::optional<double> tau_c(const KendallCounts& counts);

}  // namespace saccade

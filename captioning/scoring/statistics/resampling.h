// Scores of resampled images, and what is read from them: percentile intervals and variances. The
// intervals are percentile and not BCa, because a difference of systems over hundreds of images is
// close to symmetric. They decide nothing: with few images they are too narrow (of 20 images, a 95
// % interval of BLEU-4 covers 88 % of the time), and randomisation.h tests.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "captioning/scoring/statistics/weighted_sums.h"

namespace saccade {

struct Resampling {
  Index replicates = 10000;
  double level = 0.95;  // of the intervals
  std::uint64_t seed = 0;
};

struct Interval {
  double low = 0, high = 0;
};

// With fewer images no sentence judges (of 10, a bootstrap interval covers 82 % of the time instead
// of 95), and with fewer than kFewImages what is said is marked as of a small sample.
inline constexpr Index kFewestImages = 20;
inline constexpr Index kFewImages = 100;

// The scores [statistics, replicates] of as many images as there are, drawn with replacement (Efron
// & Tibshirani, An Introduction to the Bootstrap, 1993). The draws depend only on the seed, the
// replicate and the number of images, so all statistics and all calls share them. NaN for a single
// image: no other sample of images can be drawn from it. Throws DataError when the table is empty,
// and what percentile_interval() throws.
std::vector<std::vector<double>> resample_scores(const RowTable& table,
                                                 const Resampling& resampling);

// a - b, or 0 where the two are equal except for rounding (1e-10 of the scores). BLEU's small
// constants make the scores of equal captions differ in the twelfth digit, always in the same
// direction.
double score_difference(double a, double b);

// How many values are NaN.
Index count_undefined(std::span<const double> values);

// The share of replicates without a score (NaN) that are left out; with more of them, what is left
// says nothing about all images, and results are NaN.
inline constexpr double kMostUndefined = 0.01;

// The values that are not NaN, in their order; none where more than kMostUndefined are NaN.
std::vector<double> defined_values(std::span<const double> values);

// The values of rank r and n + 1 - r of the n defined values, where r = (n + 1)(1 - level) / 2,
// rounded down; NaN where there are none. Throws UsageError when level is not in (0, 1) or r is 0.
Interval percentile_interval(std::span<const double> values, double level);

// The variance of the defined values (n - 1); NaN where there are fewer than two.
double variance_of(std::span<const double> values);

}  // namespace saccade

// Scores of resampled images, and what is read from them: percentile intervals and p-values. The
// intervals are percentile and not BCa, because a difference of systems over hundreds of images is
// close to symmetric, and because this interval leaves out 0 exactly when the p-value beside it is
// at most 1 - level.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "captioning/statistics/weighted_sums.h"

namespace saccade {

struct Resampling {
  Index replicates = 10000;
  double level = 0.95;  // of the intervals
  std::uint64_t seed = 0;
};

struct Interval {
  double low = 0, high = 0;
};

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

// The values of rank r and replicates + 1 - r, where r = (replicates + 1)(1 - level) / 2, rounded
// down; NaN if any value is NaN. Throws UsageError when level is not in (0, 1) or r is 0.
Interval percentile_interval(std::vector<double> values, double level);

// The two-sided p-value of "no difference" from bootstrapped differences: twice the smaller of
// (1 + #{difference <= 0}) / (replicates + 1) and the same with >= 0, but at most 1. One side of it
// is Koehn's (EMNLP 2004). NaN if any difference is NaN.
double sign_p_value(std::span<const double> differences);

}  // namespace saccade

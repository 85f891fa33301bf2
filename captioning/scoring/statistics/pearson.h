// Pearson's correlation: how close two lists of numbers are to lying on one line, and whether one
// of two lists is closer to a third.
#pragma once

#include <span>

namespace saccade {

// The correlation in [-1, 1]; NaN where a list does not vary or has fewer than two numbers. Throws
// ShapeError when the lengths differ.
double pearson(std::span<const double> a, std::span<const double> b);

// Williams' test of whether two lists correlate equally with a third (Journal of the Royal
// Statistical Society B 21, 1959; for metrics and people's judgements Graham & Baldwin, EMNLP
// 2014): the two-sided p-value from their correlations with it, r_a and r_b, that between them,
// r_ab, and the number of independent observations. NaN for fewer than four of these, and without a
// correlation.
double williams_p_value(double r_a, double r_b, double r_ab, double observations);

}  // namespace saccade

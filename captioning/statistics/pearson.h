// Pearson's correlation: how nearly two lists of numbers are on one line.
#pragma once

#include <span>

namespace saccade {

// In [-1, 1]; NaN where a list does not vary or has fewer than two numbers. Throws ShapeError when
// their lengths differ.
double pearson(std::span<const double> a, std::span<const double> b);

}  // namespace saccade

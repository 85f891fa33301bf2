// Pearson's correlation: how close two lists of numbers are to lying on one line.
#pragma once

#include <span>

namespace saccade {

// The correlation in [-1, 1]; NaN where a list does not vary or has fewer than two numbers. Throws
// ShapeError when the lengths differ.
double pearson(std::span<const double> a, std::span<const double> b);

}  // namespace saccade

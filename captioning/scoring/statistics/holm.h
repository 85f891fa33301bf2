// Holm's correction for several tests (Scandinavian Journal of Statistics 6, 1979).
#pragma once

#include <vector>

namespace saccade {

// The corrected p-values, in their order: the k-th smallest of m is multiplied with
// m - k + 1, is never less than the one before it, and at most 1. NaN stays NaN and is not counted.
std::vector<double> holm(const std::vector<double>& p_values);

}  // namespace saccade

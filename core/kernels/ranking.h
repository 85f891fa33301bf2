// Ranks the numbers of a row: the normaliser of their softmax, and the largest of them.
#pragma once

#include <span>
#include <vector>

#include "core/tensor/tensor.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace kernels {

// lse[r] = log sum_c exp(x[r, c]), stable for any finite input;  x [R, C], lse [R].
void log_sum_exp(ConstView x, View lse);

// A number of a row and its place in it.
struct Ranked {
  int place;
  Real value;
};
// The `count` largest numbers of a row, or all above -infinity if these are fewer: the largest
// first, and equal ones in the order of their places. None may be NaN. Replaces the content of
// `best`.
void top(std::span<const Real> row, Index count, std::vector<Ranked>& best);

}  // namespace kernels
}  // namespace SACCADE_NUMERIC
}  // namespace saccade

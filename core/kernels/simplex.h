// Sparse relatives of softmax: maps from scores to the probability simplex that give exact zeros.
#pragma once

#include <span>

#include "core/tensor/tensor.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace kernels {

// y = max(x - tau, 0), with tau such that every row sums to 1: the nearest point of the simplex
// (Martins and Astudillo 2016, algorithm 1). x, y [R, L], and each row has a number above
// -infinity; -infinity gives 0. `scratch` has room for a row.
void sparsemax(ConstView x, View y, std::span<Real> scratch);
// dx += dy - (mean of dy over the support) on the support {y > 0}.
void sparsemax_backward(ConstView y, ConstView dy, View dx);

// y = max(x / 2 - tau, 0)^2, with tau such that every row sums to 1 (Peters, Niculae and Martins
// 2019, algorithm 2). Shapes and scratch are as for sparsemax.
void entmax15(ConstView x, View y, std::span<Real> scratch);
// dx += s (dy - <s, dy> / sum s) with s = sqrt(y).
void entmax15_backward(ConstView y, ConstView dy, View dx);

}  // namespace kernels
}  // namespace SACCADE_NUMERIC
}  // namespace saccade

// A linear map along the length of sequences (Wang et al. 2020, "Linformer", eq. 7).
#pragma once

#include <span>

#include "core/autograd/tape.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace ops {

// y[b, j, :] = sum_s w[s, j] x[b, s, :] over the first lengths[b] positions s (over all of them if
// `lengths` is empty);  x [B, S, D], w [M, K] with M >= S -> [B, K, D].
Var project_length(Var x, Var w, std::span<const int> lengths);

}  // namespace ops
}  // namespace SACCADE_NUMERIC
}  // namespace saccade

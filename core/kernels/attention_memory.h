// Attention kernels between queries and the memory of an image. Query row r reads memory r / group:
// the group is 1 in training, and in beam search the hypotheses of one image share its memory.
// There are R query rows, M memories and L regions, whose width is D (features) or A (keys).
#pragma once

#include "core/tensor/tensor.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace kernels {

// e[r, l] = sum_a v[a] tanh(keys[m, l, a] + query[r, a]), in one pass (Xu et al. 2015, eq. 4).
void additive_score(ConstView keys, ConstView query, ConstView v, Index group, View e);
// Recomputes the tanh; adds into dkeys [M, L, A], dquery [R, A], dv [A].
void additive_score_backward(ConstView keys, ConstView query, ConstView v, Index group,
                             ConstView de, View dkeys, View dquery, View dv);

// e[r, l] = scale <memory[m, l, :], query[r, :]>  (or += with beta = 1)
void memory_dot(ConstView memory, ConstView query, Index group, Real scale, Real beta, View e);
// z[r, :] = scale sum_l weights[r, l] memory[m, l, :] + beta z[r, :]
void memory_sum(ConstView memory, ConstView weights, Index group, Real scale, Real beta, View z);
// dmemory[m, l, :] += scale weights[r, l] dz[r, :]
void memory_outer(ConstView weights, ConstView dz, Index group, Real scale, View dmemory);

namespace reference {
void additive_score(ConstView keys, ConstView query, ConstView v, Index group, View e);
void additive_score_backward(ConstView keys, ConstView query, ConstView v, Index group,
                             ConstView de, View dkeys, View dquery, View dv);
void memory_dot(ConstView memory, ConstView query, Index group, Real scale, Real beta, View e);
void memory_sum(ConstView memory, ConstView weights, Index group, Real scale, Real beta, View z);
void memory_outer(ConstView weights, ConstView dz, Index group, Real scale, View dmemory);
}  // namespace reference

}  // namespace kernels
}  // namespace SACCADE_NUMERIC
}  // namespace saccade

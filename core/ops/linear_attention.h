// Attention with a cost that is linear in the length (Katharopoulos et al. 2020); layout as in
// sdpa.h.
#pragma once

#include "core/autograd/tape.h"
#include "core/kernels/attention_mask.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace ops {

// out[t] = sum_s <phi(q[t]), phi(k[s])> v[s] / sum_s <phi(q[t]), phi(k[s])>, with phi(x) = elu(x) +
// 1, for every head, over the keys that the mask permits (eq. 4, 8);  q [B, T, H d], k [B, S, H d],
// v [B, S, H e] -> [B, T, H e]. The mask must have the pattern kAll, or kCausal with T = S. Throws
// ShapeError otherwise, and where a query may attend to no key.
Var linear_attention(Var q, Var k, Var v, Index heads, const AttentionMask& mask);

// The weights of these sums, for recorders: [B, H, T, S] in the tape's arena, without gradient.
ConstView linear_attention_weights(Var q, Var k, Index heads, const AttentionMask& mask);

}  // namespace ops
}  // namespace SACCADE_NUMERIC
}  // namespace saccade

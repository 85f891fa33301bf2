// Attention along the edges of a graph (Velickovic et al. 2018).
#pragma once

#include "core/autograd/tape.h"
#include "core/kernels/attention_mask.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace ops {

// out[t] = sum_s softmax_s(LeakyReLU_0.2(<query, h[t]> + <key, h[s]>)) h[s] over the neighbours s
// of t, for every head (eq. 1-4, without the outer nonlinearity; query and key are the two halves
// of a);  nodes h [B, L, H d], query [H d], key [H d] -> [B, L, H d]. The mask must have the
// pattern kNeighbours. Throws ShapeError where a node has no neighbour.
Var graph_attention(Var nodes, Var query, Var key, Index heads, const AttentionMask& mask);

// The weights of these sums, for recorders: [B, H, L, L] in the tape's arena, without gradient.
ConstView graph_attention_weights(Var nodes, Var query, Var key, Index heads,
                                  const AttentionMask& mask);

}  // namespace ops
}  // namespace SACCADE_NUMERIC
}  // namespace saccade

// Fused scaled dot-product attention of all positions of a sequence at once: forward holds one
// block of scores at a time, and backward computes the scores again. Heads are column slices, so
// nothing is copied. B samples, T queries, S keys, H heads of widths d and e.
#pragma once

#include "core/autograd/tape.h"
#include "core/kernels/attention_mask.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace ops {

// out[t] = sum_s softmax_s(<q[t], k[s]> / sqrt(d)) v[s] over the keys that the mask permits, for
// every head (Vaswani et al. 2017, eq. 1);  q [B, T, H d], k [B, S, H d], v [B, S, H e] ->
// [B, T, H e]. The lists of the mask are copied. Throws ShapeError where a query may attend to no
// key.
Var sdpa(Var q, Var k, Var v, Index heads, const AttentionMask& mask);

// The weights of these sums, for recorders: [B, H, T, S] in the tape's arena, without gradient.
// They are exactly 0 where a key is not permitted.
ConstView sdpa_weights(Var q, Var k, Index heads, const AttentionMask& mask);

// Throws ShapeError, with `op` in front, unless q, k, v, heads and mask fit as sdpa requires.
void check_attention(const char* op, Var q, Var k, Var v, Index heads, const AttentionMask& mask);

// Copies the lists of a mask into the tape's arena, for closures to refer to.
AttentionMask keep_mask(Tape& tape, const AttentionMask& mask);

}  // namespace ops
}  // namespace SACCADE_NUMERIC
}  // namespace saccade

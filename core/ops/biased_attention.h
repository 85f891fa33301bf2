// Attention within windows, or whole sequences, with a number for each pair of places (Liu et al.
// 2021, "Swin").
#pragma once

#include "core/autograd/tape.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace ops {

// out[n, t] = sum_s softmax_s(<q[n, t], k[n, s]> / sqrt(d) + bias[t T + s, h] + c) v[n, s] for
// every head h, where c is 0, or -100 where places t and s of window n are of different parts of
// the picture: parts[n % W, t] != parts[n % W, s]. q, k, v [N, T, H d], bias [T T, H], or
// [N T T, H] where windows have their own -> [N, T, H d]. parts holds W rows of T numbers, where W
// divides N, or nothing; it is copied. Throws ShapeError where shapes or counts differ from these.
Var biased_attention(Var q, Var k, Var v, Var bias, std::span<const int> parts);
// The softmax of the same scores, [N, H, T, T] in the tape's arena, without gradient.
ConstView biased_attention_weights(Var q, Var k, Var bias);

}  // namespace ops
}  // namespace SACCADE_NUMERIC
}  // namespace saccade

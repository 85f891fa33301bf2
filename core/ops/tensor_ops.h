// Ops on arrays of any extents, for networks that come from files. All throw ShapeError where
// shapes are not those that are given here.
#pragma once

#include "core/autograd/tape.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace ops {

// Number j of every sample of the result is number from[j] of that sample of x, or 0 where from[j]
// is -1: transposing, cutting and repeating are of this kind. x [B, ...] -> [B, n] for the n
// numbers in `from`, which must outlive the tape's values. Throws ShapeError, too, where a sample
// has no such number.
Var rearrange(Var x, std::span<const int> from);

// y[i] = a[i] b[i];  a [N, M, K], b [N, K, P] -> [N, M, P].
Var multiply_matrices(Var a, Var b);

// y[..., c] = x[..., c] + shift[c];  x [..., C], shift [C] -> the shape of x.
Var add_channels(Var x, Var shift);

}  // namespace ops
}  // namespace SACCADE_NUMERIC
}  // namespace saccade

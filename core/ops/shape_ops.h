// Ops that rearrange values: views without copies, concatenation, means and sums. All throw
// ShapeError where shapes are not those that are given here, a range reaches beyond its axis, or
// there is no part to join or to sum.
#pragma once

#include "core/autograd/tape.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace ops {

// The same elements with another shape of equal size; no copy.
Var reshape(Var x, Shape shape);
// The first `count` entries of the leading axis; no copy.
Var first_rows(Var x, Index count);
// Entries first .. first + count - 1 of the leading axis; no copy.
Var slice_rows(Var x, Index first, Index count);
// Concatenates along the leading axis: [n_k, ...] -> [sum n_k, ...]; the other extents are equal.
Var concat_rows(std::span<const Var> parts);
// Concatenates every row: [R, C_k] -> [R, sum C_k].
Var concat_cols(std::span<const Var> parts);
// Appends positions to each sample: [B, S, D], [B, T, D] -> [B, S + T, D].
Var append_positions(Var before, Var more);
// Columns first .. first + count - 1: [..., C] -> [..., count].
Var slice_cols(Var x, Index first, Index count);
// [B, L, D] -> [B, D], the mean over regions; L is above 0.
Var mean_regions(Var x);
// [B, L, D] -> [B, D, L].
Var transpose_regions(Var x);
// The sum of all elements times constant weights, one for each element -> [1].
Var dot_constant(Var x, std::span<const Real> weights);
// Sum of scalars [1] -> [1].
Var sum(std::span<const Var> scalars);

}  // namespace ops
}  // namespace SACCADE_NUMERIC
}  // namespace saccade

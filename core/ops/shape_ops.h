// Ops that rearrange: views without copies, concatenation, means and sums.
#pragma once

#include "core/autograd/tape.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace ops {

// The same numbers under another shape of equal size; no copy.
Var reshape(Var x, Shape shape);
// The first `count` rows of the leading axis; no copy.
Var first_rows(Var x, Index count);
// Rows first .. first + count - 1 of the leading axis; no copy.
Var slice_rows(Var x, Index first, Index count);
// Stacks along the leading axis: [n_k, ...] -> [sum n_k, ...].
Var concat_rows(std::span<const Var> parts);
// Joins rows: [R, C_k] -> [R, sum C_k].
Var concat_cols(std::span<const Var> parts);
// More positions after those of each sample: [B, S, D], [B, T, D] -> [B, S + T, D].
Var append_positions(Var before, Var more);
// Columns first .. first + count - 1: [..., C] -> [..., count].
Var slice_cols(Var x, Index first, Index count);
// [B, L, D] -> [B, D], the mean over regions.
Var mean_regions(Var x);
// [B, L, D] -> [B, D, L].
Var transpose_regions(Var x);
// Sum of all numbers times the constant weights of equal size -> [1].
Var dot_constant(Var x, std::span<const Real> weights);
// Sum of scalars [1] -> [1].
Var sum(std::span<const Var> scalars);

}  // namespace ops
}  // namespace SACCADE_NUMERIC
}  // namespace saccade

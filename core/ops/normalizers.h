// Ops from scores to weights. R rows (queries), L regions. A score of -infinity marks a region that
// must not be attended to: its weight and its gradient are exactly 0. Every op throws ShapeError on
// a row without columns and on a row in which all scores are -infinity.
#pragma once

#include <cstdint>

#include "core/autograd/tape.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace ops {

// The softmax over the last axis; scores [..., L].
Var softmax(Var scores);
// The nearest point of the simplex, max(score - tau, 0) (Martins and Astudillo 2016); scores
// [..., L].
Var sparsemax(Var scores);
// 1.5-entmax, max(score / 2 - tau, 0)^2, between softmax and sparsemax (Peters, Niculae and
// Martins 2019); scores [..., L].
Var entmax15(Var scores);

// Keeps the k largest scores of each row (the first ones among equals); the others become
// -infinity. k >= 1; scores [..., L].
Var top_k(Var scores, Index k);
// Keeps the scores where `allowed` is not 0; the others become -infinity. scores [R, L]; allowed
// [R, L], or [L] for all rows. Throws ShapeError on another number of marks.
Var mask_scores(Var scores, std::span<const std::uint8_t> allowed);

// One-hot at the largest of scores + noise (the first one among equals), with the gradient of
// softmax((scores + noise) / temperature). Where the noise is Gumbel(0, 1), it is the
// straight-through Gumbel-softmax (Jang et al. 2017; Maddison et al. 2017). temperature > 0;
// scores, noise [R, L]. Throws ShapeError on other arguments.
Var gumbel_one_hot(Var scores, Real temperature, std::span<const Real> noise);

}  // namespace ops
}  // namespace SACCADE_NUMERIC
}  // namespace saccade

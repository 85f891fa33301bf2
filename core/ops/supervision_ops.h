// Ops that measure how far attention maps are from their targets. There are R rows (words) and L
// regions.
#pragma once

#include "core/autograd/tape.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace ops {

// In the two costs below, a smaller weight counts as this one, so that a map without weight where
// it should have some has a finite cost. Such a weight gets no gradient.
constexpr Real kLeastWeight = static_cast<Real>(1e-6);

// -log sum_l weights[r, l] inside[r, l] -> [R]: the cost of a map whose weight should lie inside
// something (attention correctness, Liu et al., AAAI 2017, as a loss). It is 0 for a row whose
// `inside` is all 0. inside [R, L] holds shares from 0 to 1: constants, which the tape copies.
// weights [R, L].
Var inside_cost(Var weights, ConstView inside);

// sum_l target[r, l] log(target[r, l] / weights[r, l]) -> [R]: the Kullback-Leibler divergence of a
// map from its target. A row of `target` sums to 1, or to 0, and then its cost is 0. target [R, L]
// holds constants, which the tape copies. weights [R, L].
Var map_divergence(Var weights, ConstView target);

// (1 / sharpness) log mean_l exp(sharpness scores[m, l, w]) -> [M, W], over the unmasked
// regions l: how strongly the best regions of a memory indicate class w (log-sum-exp pooling,
// Pinheiro and Collobert, CVPR 2015). It lies between the mean (sharpness 0) and the largest score
// (infinite sharpness). scores [M, L, W]; mask [M, L], 0 for masked regions, else 1; without data,
// none is masked.
Var pooled_evidence(Var scores, Real sharpness, ConstView mask);

// The cost of independent yes-or-no predictions, summed over the classes: -sum_w (labels log p + (1
// - labels) log(1 - p)), with p = sigmoid(logits[m, w]) -> [M]. labels [M, W] holds constants from
// 0 to 1, which the tape copies. logits [M, W].
Var binary_cross_entropy(Var logits, ConstView labels);

}  // namespace ops
}  // namespace SACCADE_NUMERIC
}  // namespace saccade

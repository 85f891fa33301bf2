// Ops that measure how far attention maps are from their targets. There are R rows (words) and L
// regions.
#pragma once

#include "core/autograd/tape.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace ops {

// A weight below this counts as this in the two costs, so that a map that puts nothing where it
// should has a finite cost. Below it no gradient flows.
constexpr Real kLeastWeight = static_cast<Real>(1e-6);

// -log sum_l weights[r, l] inside[r, l] -> [R], 0 for a row whose `inside` is all 0: the cost of a
// map whose weight should lie inside something (attention correctness, Liu et al., AAAI 2017, as a
// loss). inside [R, L] are shares from 0 to 1: constants, which the tape copies. weights [R, L].
Var inside_cost(Var weights, ConstView inside);

// sum_l target[r, l] log(target[r, l] / weights[r, l]) -> [R], the Kullback-Leibler divergence of a
// map from the map it should be. A row of `target` sums to 1, or to 0: its cost is then 0. target
// [R, L] are constants, which the tape copies. weights [R, L].
Var map_divergence(Var weights, ConstView target);

// sum_l |weights[r, l] - target[r, l]| -> [R], how far a map is from another: 0 to 2 where both sum
// to 1. Regions where they are equal get no gradient. target [R, L] are constants, which the tape
// copies. weights [R, L].
Var map_distance(Var weights, ConstView target);

// (1 / sharpness) log mean_l exp(sharpness scores[m, l, w]) -> [M, W], over the regions l that
// count: the evidence of the best regions of a memory for class w (log-sum-exp pooling, Pinheiro
// and Collobert, CVPR 2015); between the mean (sharpness 0) and the largest score (infinite).
// scores [M, L, W]; counts [M, L], 0 for regions that do not count, or without data: all count.
Var pooled_evidence(Var scores, Real sharpness, ConstView counts);

// The cost of independent yes-or-no predictions, summed over the classes:
// -sum_w (labels log p + (1 - labels) log(1 - p)), p = sigmoid(logits[m, w]) -> [M]. labels [M, W]
// are constants from 0 to 1, which the tape copies. logits [M, W].
Var binary_cross_entropy(Var logits, ConstView labels);

}  // namespace ops
}  // namespace SACCADE_NUMERIC
}  // namespace saccade

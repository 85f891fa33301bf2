// The parts of differential attention that are not softmaxes (Ye et al. 2024, section 2.1).
#pragma once

#include "core/autograd/tape.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace ops {

// The vectors, [d] each, that determine lambda.
struct LambdaVectors {
  Var query_1, key_1, query_2, key_2;
};

// y = first - lambda second, with lambda = exp(<query_1, key_1>) - exp(<query_2, key_2>) + initial
// (eq. 1, 2). first and second have the same shape, which is that of the result.
Var differential(Var first, Var second, const LambdaVectors& vectors, double initial);

// The value of lambda, for recorders.
Real differential_lambda(const LambdaVectors& vectors, double initial);

// Divides each row (last axis) by sqrt(mean of its squares + epsilon) and multiplies it by gamma
// (Zhang and Sennrich 2019).  x [..., D], gamma [D] -> the shape of x.
Var rms_norm(Var x, Var gamma, double epsilon = 1e-5);

}  // namespace ops
}  // namespace SACCADE_NUMERIC
}  // namespace saccade

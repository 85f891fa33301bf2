// What differential attention does besides two softmaxes (Ye et al. 2024, section 2.1).
#pragma once

#include "core/autograd/tape.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace ops {

// The vectors, each [d], from which lambda is made.
struct LambdaVectors {
  Var query_1, key_1, query_2, key_2;
};

// y = first - lambda second, lambda = exp(<query_1, key_1>) - exp(<query_2, key_2>) + initial
// (eq. 1, 2);  first and second of one shape -> as they.
Var differential(Var first, Var second, const LambdaVectors& vectors, double initial);

// lambda itself, for recorders.
Real differential_lambda(const LambdaVectors& vectors, double initial);

// Each row (last axis) divided by sqrt(mean of squares + epsilon), times gamma (Zhang and Sennrich
// 2019).  x [..., D], gamma [D] -> as x.
Var rms_norm(Var x, Var gamma, double epsilon = 1e-5);

}  // namespace ops
}  // namespace SACCADE_NUMERIC
}  // namespace saccade

// Element-wise ops on tape values; the result has the shape of x (or of a). Arguments outside the
// stated shapes and ranges throw ShapeError.
#pragma once

#include "core/autograd/tape.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace ops {

// a + b, of one shape.
Var add(Var a, Var b);
// a b, element by element, of one shape.
Var multiply(Var a, Var b);
// factor x.
Var scale(Var x, Real factor);
// The hyperbolic tangent.
Var tanh(Var x);
// 1 / (1 + exp(-x)).
Var sigmoid(Var x);
// max(x, 0).
Var relu(Var x);
// x where x > 0, otherwise slope x (Maas et al. 2013). slope in [0, 1).
Var leaky_relu(Var x, Real slope);
// The numbers from `lowest` to `highest`.
struct Interval {
  Real lowest = 0;   // is in it
  Real highest = 0;  // is in it; at least `lowest`
};
// min(max(x, lowest), highest); relu6 is clip(x, {0, 6}).
Var clip(Var x, const Interval& to);
// log(max(x, lowest)), lowest > 0.
Var log_above(Var x, Real lowest);
// e^x.
Var exp(Var x);
// x Phi(x), where Phi is the distribution function of N(0, 1) (Hendrycks and Gimpel 2016); exact.
Var gelu(Var x);
// Inverted dropout if the tape is in training mode and rate > 0; otherwise x itself. rate in [0,
// 1).
Var dropout(Var x, double rate);
// y[r, :] = x[r, :] * factor[r];  x [R, D], factor [R, 1].
Var scale_rows(Var x, Var factor);
// y = x * factor;  factor [1].
Var scale_by(Var x, Var factor);
// y = 1 / x; x must not contain 0, which is not checked.
Var reciprocal(Var x);

}  // namespace ops
}  // namespace SACCADE_NUMERIC
}  // namespace saccade

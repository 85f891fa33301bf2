// Updates of weights, each in one pass over memory. Element i depends on element i alone, so a
// range may be cut anywhere without changing a bit.
#pragma once

#include <limits>

#include "core/tensor/tensor.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace kernels {

// What an update gets for gradient element g: min(max(scale g, -limit), limit).
struct ClippedGradient {
  const Real* data = nullptr;
  Real scale = 1;
  Real limit = std::numeric_limits<Real>::infinity();
};

// w -= lr (g + decay w).
struct SgdUpdate {
  Real lr = 0;
  Real decay = 0;
};
void sgd_update(const SgdUpdate& u, const ClippedGradient& g, Index count, Real* w);

// velocity = momentum velocity + g + decay w;  w -= lr velocity.
struct MomentumUpdate {
  Real lr = 0;
  Real decay = 0;
  Real momentum = 0;
};
void momentum_update(const MomentumUpdate& u, const ClippedGradient& g, Index count, Real* w,
                     Real* velocity);

// h = g + decay w;  square = rho square + (1 - rho) h^2;  w -= lr h / (sqrt(square) + epsilon).
// (Tieleman and Hinton 2012.)
struct RmsPropUpdate {
  Real lr = 0;
  Real decay = 0;
  Real rho = 0;
  Real epsilon = 0;
};
void rmsprop_update(const RmsPropUpdate& u, const ClippedGradient& g, Index count, Real* w,
                    Real* square);

// h = g + decay w;  m = beta1 m + (1 - beta1) h;  v = beta2 v + (1 - beta2) h^2;
// w = keep w - step m / (sqrt(v) root + epsilon).
// With step = lr / (1 - beta1^t) and root = 1 / sqrt(1 - beta2^t) this is Adam (Kingma and Ba
// 2015); with decay = 0 and keep = 1 - lr lambda it is AdamW (Loshchilov and Hutter 2019).
struct AdamUpdate {
  Real step = 0;
  Real root = 1;
  Real decay = 0;
  Real keep = 1;
  Real beta1 = 0;
  Real beta2 = 0;
  Real epsilon = 0;
};
void adam_update(const AdamUpdate& u, const ClippedGradient& g, Index count, Real* w, Real* m,
                 Real* v);

// The sum of squares; infinity or NaN if a number is one, or if a square overflows.
double sum_of_squares(const Real* data, Index count);

}  // namespace kernels
}  // namespace SACCADE_NUMERIC
}  // namespace saccade

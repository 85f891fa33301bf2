// What published networks compute between their products, beside the ops that saccade's own
// networks have. All throw ShapeError where shapes are not those that are given here.
#pragma once

#include "core/autograd/tape.h"

namespace saccade {

enum class Nonlinearity {
  kSilu,         // x / (1 + exp(-x)) (Elfwing et al. 2018)
  kQuickGelu,    // x / (1 + exp(-1.702 x)), as in CLIP
  kTanhGelu,     // x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3)))
  kHardSwish,    // x min(max(x + 3, 0), 6) / 6 (Howard et al. 2019)
  kHardSigmoid,  // min(max(x + 3, 0), 6) / 6
  kErf,          // 2 / sqrt(pi) times the integral of exp(-t^2) from 0 to x
  kSqrt,         // of numbers above 0
};

inline namespace SACCADE_NUMERIC {
namespace ops {

// f of every number; the result has the shape of x.
Var nonlinear(Var x, Nonlinearity f);

// y[b, l, c] = x[b, l, c] factor[b, c], or factor[c] for all b; x [B, ..., C], factor [B, C] or [C]
// -> the shape of x.
Var scale_channels(Var x, Var factor);

// x (n[b, c] gain[c] + 1) + shift[c], where n is g[b, c] = |x[b, :, c]|_2 divided by (its mean over
// c, plus epsilon): how strongly a channel responds compared with the others (Woo et al. 2023,
// "global response normalization"). x [B, L, C], gain, shift [C] -> the shape of x.
Var response_norm(Var x, Var gain, Var shift, double epsilon = 1e-6);

}  // namespace ops
}  // namespace SACCADE_NUMERIC
}  // namespace saccade

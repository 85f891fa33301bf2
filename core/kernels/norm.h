// Normalisation with learned gain and shift, in the channels-last layout. One thread per call,
// except for layer_norm where kernels are cut (kernel_parts.h).
#pragma once

#include "core/kernels/activation.h"
#include "core/kernels/pointwise.h"
#include "core/tensor/tensor.h"

namespace saccade {

struct GroupNormShape {
  Index batch = 0, positions = 0, channels = 0, groups = 1;  // groups divides channels
};

inline namespace SACCADE_NUMERIC {
namespace kernels {

// Brings every group of channels of every sample to mean 0 and variance 1 over its positions:
// y = f(gamma[c] (x - mean) / sqrt(variance + epsilon) + beta[c]) (Wu and He 2018). x, y [batch,
// positions, channels]; gamma, beta [channels]. mean and rstd = 1 / sqrt(variance + epsilon) are
// kept in [batch, groups].
void group_norm(const GroupNormShape& shape, Activation f, double epsilon, ConstView x,
                ConstView gamma, ConstView beta, View y, View mean, View rstd);

// dgamma and dbeta are added to; `write` determines how dx is written. Each may have no data where
// it is not wanted. y is read only where there is an f.
struct NormGradients {
  View dx, dgamma, dbeta;
  Write write = Write::kAccumulate;
};
void group_norm_backward(const GroupNormShape& shape, Activation f, ConstView x, ConstView gamma,
                         ConstView y, ConstView mean, ConstView rstd, ConstView dy,
                         const NormGradients& gradients);

// Brings every row to mean 0 and variance 1, then y = gamma x' + beta (Ba et al. 2016). x, y [...,
// D]; gamma, beta [D]. mean and rstd are kept, one of each per row.
void layer_norm(double epsilon, ConstView x, ConstView gamma, ConstView beta, View y, View mean,
                View rstd);
void layer_norm_backward(ConstView x, ConstView gamma, ConstView mean, ConstView rstd, ConstView dy,
                         const NormGradients& gradients);

// Divides every row by its root mean square: y = gamma x / sqrt(mean x^2 + epsilon) (Zhang and
// Sennrich 2019). x, y [..., D]; gamma [D]. The factor of each row is kept in `scale`.
void rms_norm(double epsilon, ConstView x, ConstView gamma, View y, View scale);
// gradients.dbeta is not read.
void rms_norm_backward(ConstView x, ConstView gamma, ConstView scale, ConstView dy,
                       const NormGradients& gradients);

namespace reference {  // exactly by the formulas, with sums in double
void group_norm(const GroupNormShape& shape, Activation f, double epsilon, ConstView x,
                ConstView gamma, ConstView beta, View y, View mean, View rstd);
void group_norm_backward(const GroupNormShape& shape, Activation f, ConstView x, ConstView gamma,
                         ConstView y, ConstView mean, ConstView rstd, ConstView dy,
                         const NormGradients& gradients);
}  // namespace reference

}  // namespace kernels
}  // namespace SACCADE_NUMERIC
}  // namespace saccade

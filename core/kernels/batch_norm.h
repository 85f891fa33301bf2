// Batch normalisation with fixed statistics: one gain and one shift per channel, which can also be
// folded into the convolution before it. One thread per call.
#pragma once

#include "core/kernels/norm.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace kernels {

// rstd = 1 / sqrt(variance + epsilon), one number per channel.
void reciprocal_deviation(double epsilon, ConstView variance, View rstd);

// y = f(gamma[c] (x - mean[c]) rstd[c] + beta[c]) (Ioffe and Szegedy 2015, algorithm 2).
// x, y [..., channels]; all others [channels].
void batch_norm(Activation f, ConstView x, ConstView gamma, ConstView beta, ConstView mean,
                ConstView rstd, View y);
// The gradients, as for group_norm_backward.
void batch_norm_backward(Activation f, ConstView x, ConstView gamma, ConstView y, ConstView mean,
                         ConstView rstd, ConstView dy, const NormGradients& gradients);

// The gain and the bias of a convolution that normalises its result (ConvEpilogue):
// gain[o] = gamma[o] rstd[o], bias[o] = beta[o] - mean[o] gain[o].
void fold_norm(ConstView gamma, ConstView beta, ConstView mean, ConstView rstd, View gain,
               View bias);
// dgamma and dbeta are added to, from the gradients of the gain and the bias. Each may have no data
// where it is not wanted.
void fold_norm_backward(ConstView mean, ConstView rstd, ConstView dgain, ConstView dbias,
                        View dgamma, View dbeta);

}  // namespace kernels
}  // namespace SACCADE_NUMERIC
}  // namespace saccade

// Normalisation; none of these mixes the samples of a batch.
#pragma once

#include "core/autograd/tape.h"
#include "core/kernels/norm.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace ops {

struct GroupNormOptions {
  Index groups = 1;  // divides the channels
  double epsilon = 1e-5;
  Activation activation = Activation::kNone;  // in the same pass
};

// Each group of channels of each sample to mean 0 and variance 1 over all its positions, then
// gamma x' + beta (Wu and He 2018), then the activation. x [B, ..., C], gamma, beta [C] -> as x.
Var group_norm(Var x, Var gamma, Var beta, const GroupNormOptions& options);

// What normalises each channel of a pretrained network: mean and variance [C] of its training data,
// which get no gradient, gain gamma and shift beta [C]. Statistics of the batch at hand are not
// among the choices: a batch is cut into shards that are independent of each other, and fine-tuning
// keeps the pretrained statistics.
struct ChannelNorm {
  ConstView mean, variance;
  Var gamma, beta;
  double epsilon = 1e-5;
};

// f(gamma (x - mean) / sqrt(variance + epsilon) + beta) (Ioffe and Szegedy 2015, algorithm 2).
// x [..., C] -> as x. After a convolution, conv_norm (conv_ops.h) does the same for nothing.
Var batch_norm(Var x, const ChannelNorm& norm, Activation activation = Activation::kNone);

// Each row (last axis) to mean 0 and variance 1, then gamma x' + beta (Ba et al. 2016).
// x [..., D], gamma, beta [D] -> as x.
Var layer_norm(Var x, Var gamma, Var beta, double epsilon = 1e-5);

// x / max(|x|_2, 1e-8) of each row (last axis), without parameters. x [..., D] -> as x.
Var normalize_rows(Var x);

}  // namespace ops
}  // namespace SACCADE_NUMERIC
}  // namespace saccade

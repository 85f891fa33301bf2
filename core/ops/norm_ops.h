// Normalisations. None of them mixes the samples of a batch.
#pragma once

#include "core/autograd/tape.h"
#include "core/kernels/norm.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace ops {

struct GroupNormOptions {
  Index groups = 1;  // must divide the channels
  double epsilon = 1e-5;
  Activation activation = Activation::kNone;  // applied in the same pass
};

// Brings each group of channels of each sample to mean 0 and variance 1 over all its positions,
// then computes gamma x' + beta (Wu and He 2018) and the activation. x [B, ..., C], gamma, beta [C]
// -> the shape of x.
Var group_norm(Var x, Var gamma, Var beta, const GroupNormOptions& options);

// The normalisation of each channel of a pretrained network: mean and variance [C] of its training
// data, which get no gradient, the gain gamma and the shift beta [C]. The statistics of the current
// batch are never used: a batch is cut into shards that are independent of each other, and
// fine-tuning keeps the pretrained statistics.
struct ChannelNorm {
  ConstView mean, variance;
  Var gamma, beta;
  double epsilon = 1e-5;
};

// f(gamma (x - mean) / sqrt(variance + epsilon) + beta) (Ioffe and Szegedy 2015, algorithm 2). x
// [..., C] -> the shape of x. After a convolution, conv_norm (conv_ops.h) does the same at no cost.
Var batch_norm(Var x, const ChannelNorm& norm, Activation activation = Activation::kNone);

// Brings each row (last axis) to mean 0 and variance 1, then computes gamma x' + beta (Ba et al.
// 2016). x [..., D], gamma, beta [D] -> the shape of x.
Var layer_norm(Var x, Var gamma, Var beta, double epsilon = 1e-5);

// Divides each row (last axis) by max(|row|_2, 1e-8); no parameters. x [..., D] -> the shape of x.
Var normalize_rows(Var x);

}  // namespace ops
}  // namespace SACCADE_NUMERIC
}  // namespace saccade

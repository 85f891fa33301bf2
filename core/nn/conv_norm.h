// A convolution with the batch normalisation behind it and an optional sum before the activation.
#pragma once

#include "core/nn/conv2d.h"
#include "core/nn/norms.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// Declares the convolution's `weight` in one scope and the parameters of BatchNorm in another.
class ConvNorm {
 public:
  struct Scopes {
    ParamScope conv, norm;
  };
  // layout.bias is ignored: the normalisation has a shift of its own.
  ConvNorm(const Scopes& scopes, const Conv2dLayout& layout, const BatchNormStart& start = {});
  // [B, H, W, in] -> f(norm(conv(x)) + skip) [B, H', W', out]. skip has the shape of the result, or
  // is no Var.
  Var operator()(Tape& tape, Var x, Var skip = {}) const {
    return ops::conv_norm(x, on(tape), skip);
  }
  // For ops::residual_blocks().
  ops::NormedConv on(Tape& tape) const;

 private:
  int weight_;
  BatchNorm norm_;
  ops::Conv2dOptions options_;
};

}  // namespace SACCADE_NUMERIC
}  // namespace saccade

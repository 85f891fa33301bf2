// A convolution, the batch normalisation behind it and what is added before the activation.
#pragma once

#include "core/nn/conv2d.h"
#include "core/nn/norms.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// Declares the convolution's `weight` below one scope and what BatchNorm declares below another.
class ConvNorm {
 public:
  struct Scopes {
    ParamScope conv, norm;
  };
  // layout.bias is not read: the normalisation has a shift of its own.
  ConvNorm(const Scopes& scopes, const Conv2dLayout& layout, const BatchNormStart& start = {});
  // [B, H, W, in] -> f(norm(conv(x)) + skip) [B, H', W', out]; skip of that shape, or no Var.
  Var operator()(Tape& tape, Var x, Var skip = {}) const;

 private:
  int weight_;
  BatchNorm norm_;
  ops::Conv2dOptions options_;
};

}  // namespace SACCADE_NUMERIC
}  // namespace saccade

// A convolution layer with its weights.
#pragma once

#include "core/nn/parameter_store.h"
#include "core/ops/conv_ops.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

struct Conv2dLayout {
  Index in = 0, out = 0;  // channels
  Index kernel = 3;
  Index stride = 1;
  Padding padding = 1;
  Index groups = 1;
  bool bias = true;  // not needed before a normalisation
  Activation activation = Activation::kNone;
  Index dilation = 1;
};

// Declares `weight` [kernel, kernel, in / groups, out] (initialised as in He et al. 2015) and
// returns its index.
int declare_kernel(const ParamScope& scope, const Conv2dLayout& layout);
ops::Conv2dOptions options_of(const Conv2dLayout& layout);

// Declares the kernel and, if the layout asks for it, `bias` [out].
class Conv2d {
 public:
  Conv2d(const ParamScope& scope, const Conv2dLayout& layout);
  // [B, H, W, in] -> [B, H', W', out], with H' as in ops::conv2d.
  Var operator()(Tape& tape, Var x) const;

 private:
  int weight_, bias_;  // bias_ is -1 if there is none
  ops::Conv2dOptions options_;
};

}  // namespace SACCADE_NUMERIC
}  // namespace saccade

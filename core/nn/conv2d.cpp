#include "core/nn/conv2d.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

int declare_kernel(const ParamScope& scope, const Conv2dLayout& layout) {
  const Index in = layout.in / layout.groups;
  return scope.declare("weight", {layout.kernel, layout.kernel, in, layout.out},
                       Init::he(layout.kernel * layout.kernel * in));
}

ops::Conv2dOptions options_of(const Conv2dLayout& layout) {
  return {.stride = layout.stride,
          .padding = layout.padding,
          .groups = layout.groups,
          .activation = layout.activation,
          .dilation = layout.dilation};
}

Conv2d::Conv2d(const ParamScope& scope, const Conv2dLayout& layout)
    : weight_(declare_kernel(scope, layout)),
      bias_(layout.bias ? scope.declare("bias", {layout.out}, Init::constant(0), Decay::kNo) : -1),
      options_(options_of(layout)) {}

Var Conv2d::operator()(Tape& tape, Var x) const {
  const Var bias = bias_ < 0 ? Var{} : tape.parameter(bias_);
  return ops::conv2d(x, tape.parameter(weight_), bias, options_);
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade

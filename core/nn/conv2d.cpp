#include "core/nn/conv2d.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

Conv2d::Conv2d(const ParamScope& scope, const Conv2dLayout& layout)
    : weight_(scope.declare("weight", {layout.kernel, layout.kernel, layout.in, layout.out},
                            Init::he(layout.kernel * layout.kernel * layout.in))),
      bias_(layout.bias ? scope.declare("bias", {layout.out}, Init::constant(0), Decay::kNo) : -1),
      options_{.stride = layout.stride, .padding = layout.padding} {}

Var Conv2d::operator()(Tape& tape, Var x) const {
  const Var bias = bias_ < 0 ? Var{} : tape.parameter(bias_);
  return ops::conv2d(x, tape.parameter(weight_), bias, options_);
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade

#include "core/nn/dense.h"

#include "core/ops/linear.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

Dense::Dense(const ParamScope& scope, const DenseWidths& widths)
    : weight_(
          scope.declare("weight", {widths.in, widths.out}, Init::glorot(widths.in, widths.out))),
      bias_(scope.declare("bias", {widths.out}, Init::constant(0), Decay::kNo)) {}

Var Dense::operator()(Tape& tape, Var x) const {
  return ops::linear(x, tape.parameter(weight_), tape.parameter(bias_));
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade

#include "core/attention/gate.h"

#include "core/ops/linear.h"
#include "core/ops/pointwise.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

Gate::Gate(const ParamScope& scope, Index query_width, Index outputs)
    : weight_(scope.declare("weight", {query_width, outputs}, Init::glorot(query_width, outputs))),
      bias_(scope.declare("bias", {outputs}, Init::constant(0), Decay::kNo)) {}

void Gate::apply(Tape& tape, Var query, Glimpse& glimpse) const {
  glimpse.gate = ops::sigmoid(ops::linear(query, tape.parameter(weight_), tape.parameter(bias_)));
  glimpse.context = gated(glimpse.context, glimpse.gate);
}

Var gated(Var context, Var gate) {
  return gate.cols() == 1 ? ops::scale_rows(context, gate) : ops::multiply(context, gate);
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade

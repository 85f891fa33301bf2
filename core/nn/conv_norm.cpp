#include "core/nn/conv_norm.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

ConvNorm::ConvNorm(const Scopes& scopes, const Conv2dLayout& layout, const BatchNormStart& start)
    : weight_(declare_kernel(scopes.conv, layout)),
      norm_(scopes.norm, layout.out, start),
      options_(options_of(layout)) {}

Var ConvNorm::operator()(Tape& tape, Var x, Var skip) const {
  return ops::conv_norm(x, tape.parameter(weight_), norm_.on(tape), skip, options_);
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade

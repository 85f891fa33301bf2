#include "core/nn/conv_norm.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

ConvNorm::ConvNorm(const Scopes& scopes, const Conv2dLayout& layout, const BatchNormStart& start)
    : weight_(declare_kernel(scopes.conv, layout)),
      norm_(scopes.norm, layout.out, start),
      options_(options_of(layout)) {}

ops::NormedConv ConvNorm::on(Tape& tape) const {
  return {tape.parameter(weight_), norm_.on(tape), options_};
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade

#include "core/nn/norms.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

namespace {

int declare_gain(const ParamScope& scope, Index width) {
  return scope.declare("gain", {width}, Init::constant(1), Decay::kNo);
}
int declare_shift(const ParamScope& scope, Index width) {
  return scope.declare("shift", {width}, Init::constant(0), Decay::kNo);
}

}  // namespace

GroupNorm::GroupNorm(const ParamScope& scope, Index channels, const ops::GroupNormOptions& options)
    : gain_(declare_gain(scope, channels)),
      shift_(declare_shift(scope, channels)),
      options_(options) {}

Var GroupNorm::operator()(Tape& tape, Var x) const {
  return ops::group_norm(x, tape.parameter(gain_), tape.parameter(shift_), options_);
}

LayerNorm::LayerNorm(const ParamScope& scope, Index width, double epsilon)
    : gain_(declare_gain(scope, width)), shift_(declare_shift(scope, width)), epsilon_(epsilon) {}

Var LayerNorm::operator()(Tape& tape, Var x) const {
  return ops::layer_norm(x, tape.parameter(gain_), tape.parameter(shift_), epsilon_);
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade

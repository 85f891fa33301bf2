#include "core/nn/norms.h"

#include <algorithm>

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

BatchNorm::BatchNorm(const ParamScope& scope, Index channels, const BatchNormStart& start)
    : gain_(scope.declare("weight", {channels}, Init::constant(start.gain), Decay::kNo)),
      shift_(scope.declare("bias", {channels}, Init::constant(0), Decay::kNo)),
      mean_(scope.declare_fixed("running_mean", {channels}, Init::constant(0))),
      variance_(scope.declare_fixed("running_var", {channels}, Init::constant(1))),
      epsilon_(start.epsilon) {}

ops::ChannelNorm BatchNorm::on(Tape& tape) const {
  const auto fixed = [&](int index) { return tape.parameters()[static_cast<std::size_t>(index)]; };
  return {.mean = fixed(mean_),
          .variance = fixed(variance_),
          .gamma = tape.parameter(gain_),
          .beta = tape.parameter(shift_),
          .epsilon = epsilon_};
}

Var BatchNorm::operator()(Tape& tape, Var x, Activation activation) const {
  return ops::batch_norm(x, on(tape), activation);
}

LayerNorm::LayerNorm(const ParamScope& scope, Index width, double epsilon)
    : gain_(declare_gain(scope, width)), shift_(declare_shift(scope, width)), epsilon_(epsilon) {}

Var LayerNorm::operator()(Tape& tape, Var x) const {
  return ops::layer_norm(x, tape.parameter(gain_), tape.parameter(shift_), epsilon_);
}

Var standardized(Tape& tape, Var x) {
  const Index width = x.shape()[-1];
  const auto constant = [&](Real number) {
    const View view{tape.scratch(width), {width}};
    std::fill_n(view.data, width, number);
    return tape.constant(view);
  };
  return ops::layer_norm(x, constant(1), constant(0));
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade

#include "core/attention/sequence/transformer_block.h"

#include "core/base/error.h"
#include "core/ops/network_ops.h"
#include "core/ops/pointwise.h"
#include "core/ops/shape_ops.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

Var activated(Var x, DenseActivation activation) {
  switch (activation) {
    case DenseActivation::kRelu:
      return ops::relu(x);
    case DenseActivation::kQuickGelu:
      return ops::nonlinear(x, Nonlinearity::kQuickGelu);
    case DenseActivation::kTanhGelu:
      return ops::nonlinear(x, Nonlinearity::kTanhGelu);
    case DenseActivation::kGelu:
      return ops::gelu(x);
    case DenseActivation::kSwiglu:
      break;
  }
  throw InternalError("swiglu is no function of one vector");
}

namespace {

Var activate_hidden(Var wide, DenseActivation f, Index hidden) {
  if (f != DenseActivation::kSwiglu) return activated(wide, f);
  return ops::multiply(ops::nonlinear(ops::slice_cols(wide, 0, hidden), Nonlinearity::kSilu),
                       ops::slice_cols(wide, hidden, hidden));
}

Index hidden_width(const TransformerBlockOptions& options) {
  return options.hidden > 0 ? options.hidden : options.multiple * options.features;
}

}  // namespace

Residual::Residual(const ParamScope& scope, const TransformerBlockOptions& options)
    : norm_(scope, options.features, options.epsilon),
      placement_(options.norm),
      dropout_(options.dropout),
      scale_(options.scaled
                 ? scope.declare("scale", {options.features}, Init::constant(1), Decay::kNo)
                 : -1) {}

Var Residual::enter(Tape& tape, Var x) const {
  return placement_ == NormPlacement::kPre ? norm_(tape, x) : x;
}

Var Residual::leave(Tape& tape, Var x, Var y) const {
  const Var branch = scale_ < 0 ? y : ops::scale_channels(y, tape.parameter(scale_));
  const Var sum = ops::add(x, ops::dropout(branch, dropout_));
  return placement_ == NormPlacement::kPost ? norm_(tape, sum) : sum;
}

PositionNetwork::PositionNetwork(const ParamScope& scope, const TransformerBlockOptions& options)
    : widen_(scope.sub("widen"),
             {options.features,
              hidden_width(options) * (options.activation == DenseActivation::kSwiglu ? 2 : 1)}),
      narrow_(scope.sub("narrow"), {hidden_width(options), options.features}),
      activation_(options.activation),
      hidden_(hidden_width(options)),
      dropout_(options.dropout) {}

Var PositionNetwork::operator()(Tape& tape, Var x) const {
  const Var active = activate_hidden(widen_(tape, x), activation_, hidden_);
  return narrow_(tape, ops::dropout(active, dropout_));
}

Var TransformerBlock::operator()(Tape& tape, Var x, const AttentionMask& mask) const {
  const Var seen = (*attention_)(tape, attention_residual_.enter(tape, x), mask);
  const Var y = attention_residual_.leave(tape, x, seen);
  return dense_residual_.leave(tape, y, dense_(tape, dense_residual_.enter(tape, y)));
}

ConstView TransformerBlock::weights(Tape& tape, Var x, const AttentionMask& mask) const {
  return attention_->weights(tape, attention_residual_.enter(tape, x), mask);
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade

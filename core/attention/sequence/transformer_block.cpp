#include "core/attention/sequence/transformer_block.h"

#include "core/ops/pointwise.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

Residual::Residual(const ParamScope& scope, const TransformerBlockOptions& options)
    : norm_(scope, options.features, options.epsilon),
      placement_(options.norm),
      dropout_(options.dropout) {}

Var Residual::enter(Tape& tape, Var x) const {
  return placement_ == NormPlacement::kPre ? norm_(tape, x) : x;
}

Var Residual::leave(Tape& tape, Var x, Var y) const {
  const Var sum = ops::add(x, ops::dropout(y, dropout_));
  return placement_ == NormPlacement::kPost ? norm_(tape, sum) : sum;
}

PositionNetwork::PositionNetwork(const ParamScope& scope, const TransformerBlockOptions& options)
    : widen_(scope.sub("widen"), {options.features, options.multiple * options.features}),
      narrow_(scope.sub("narrow"), {options.multiple * options.features, options.features}),
      activation_(options.activation),
      dropout_(options.dropout) {}

Var PositionNetwork::operator()(Tape& tape, Var x) const {
  const Var wide = widen_(tape, x);
  const Var active = activation_ == DenseActivation::kRelu ? ops::relu(wide) : ops::gelu(wide);
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

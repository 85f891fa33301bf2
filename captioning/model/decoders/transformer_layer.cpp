#include "captioning/model/decoders/transformer_layer.h"

#include "core/attention/sequence/make_sequence_attention.h"
#include "core/base/error.h"
#include "core/ops/shape_ops.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

namespace {

DenseActivation dense_activation(WordActivation activation) {
  switch (activation) {
    case WordActivation::kRelu:
      return DenseActivation::kRelu;
    case WordActivation::kGelu:
      return DenseActivation::kGelu;
    case WordActivation::kTanhGelu:
      return DenseActivation::kTanhGelu;
  }
  throw InternalError("unknown value of decoder.activation");
}

}  // namespace

TransformerBlockOptions block_options(const DecoderConfig& config) {
  return {.features = config.hidden,
          .multiple = config.widen,
          .hidden = config.dense,
          .activation = dense_activation(config.activation),
          .norm = config.norm,
          .dropout = config.dropout,
          .epsilon = config.epsilon};
}

namespace {

// The dense layer behind cross-attention, where words have a context.
std::optional<Dense> cross_output(const ParamScope& scope, const DecoderParts& parts) {
  if (!parts.config.has_context()) return {};
  return Dense(scope.sub("cross_output"), {width_of_context(parts), parts.config.hidden});
}
std::optional<Residual> cross_residual(const ParamScope& scope, const DecoderParts& parts) {
  if (!parts.config.has_context()) return {};
  return Residual(scope.sub("cross_norm"), block_options(parts.config));
}

}  // namespace

TransformerLayer::TransformerLayer(const ParamScope& scope, const DecoderParts& parts, Index layer)
    : words_(make_causal_attention(
          scope.sub("words"), parts.config.self_attention,
          {.features = parts.config.hidden, .heads = parts.config.heads, .key = "decoder.heads"},
          layer)),
      words_residual_(scope.sub("words_norm"), block_options(parts.config)),
      cross_(make_image_attention(parts,
                                  {.features = parts.widths.features,
                                   .query = parts.config.hidden,
                                   .sentinel = 0,
                                   .regions = parts.widths.grid.cells(),
                                   .keys = parts.widths.keys},
                                  scope.sub("cross"))),
      cross_output_(cross_output(scope, parts)),
      cross_residual_(cross_residual(scope, parts)),
      dense_(scope, block_options(parts.config)),
      dense_residual_(scope.sub("dense_norm"), block_options(parts.config)) {}

Var TransformerLayer::words(Tape& tape, Var x, Var entered, std::span<const Var> kept) const {
  return words_residual_.leave(tape, x, words_->attend_causally(tape, entered, kept));
}

Var TransformerLayer::before_words(Tape& tape, Var x) const {
  const Var entered = words_residual_.enter(tape, x);
  return finish(tape, words_residual_.leave(tape, x, (*words_)(tape, entered, {})), {});
}

Var TransformerLayer::query(Tape& tape, Var x) const {
  const Var query = cross_residual_ ? cross_residual_->enter(tape, x) : x;
  return ops::reshape(query, {query.rows(), query.cols()});
}

Var TransformerLayer::finish(Tape& tape, Var x, Var context) const {
  Var y = x;
  if (context) {
    const Var crossed = ops::reshape((*cross_output_)(tape, context), x.shape());
    y = cross_residual_->leave(tape, x, crossed);
  }
  return dense_residual_.leave(tape, y, dense_(tape, dense_residual_.enter(tape, y)));
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade

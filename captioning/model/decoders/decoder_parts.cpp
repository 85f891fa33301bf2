#include "captioning/model/decoders/decoder_parts.h"

#include "core/ops/linear.h"
#include "core/ops/pointwise.h"
#include "core/ops/sequence_ops.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

int declare_matrix(const ParamScope& scope, const std::string& name, Index in, Index out) {
  return scope.declare(name, {in, out}, Init::glorot(in, out));
}
int declare_bias(const ParamScope& scope, const std::string& name, Index width) {
  return scope.declare(name, {width}, Init::constant(0), Decay::kNo);
}

WordOutput::WordOutput(const ParamScope& scope, const DecoderParts& parts, Index in, int embedding)
    : tied_(parts.config.tie_embeddings),
      weight_(tied_ ? embedding : declare_matrix(scope, "vocabulary", in, parts.widths.vocabulary)),
      bias_(declare_bias(scope, "vocabulary_bias", parts.widths.vocabulary)) {}

Var WordOutput::operator()(Tape& tape, Var x) const {
  const Var weight = tape.parameter(weight_), bias = tape.parameter(bias_);
  return tied_ ? ops::linear_transposed(x, weight, bias) : ops::linear(x, weight, bias);
}

Var word_costs(Var logits, const PackedCaptions& captions) {
  if (captions.temperature != 1)
    logits = ops::scale(logits, static_cast<Real>(1 / captions.temperature));
  return ops::cross_entropy(logits, captions.targets);
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade

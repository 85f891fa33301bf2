#include "captioning/model/decoders/cell_parts.h"

#include <algorithm>

#include "captioning/model/decoders/cell.h"
#include "core/ops/linear.h"
#include "core/ops/pointwise.h"
#include "core/ops/shape_ops.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

Var plus_product(Tape& tape, Var sum, Var x, int weight, Sum how) {
  if (weight < 0) return sum;
  const Var w = tape.parameter(weight);
  return how == Sum::kInPlace ? ops::accumulate_linear(sum, x, w)
                              : ops::add(sum, ops::linear(x, w));
}

Var zero_rows(Tape& tape, Index rows, Index width) {
  Real* zeros = tape.scratch(rows * width);
  std::fill_n(zeros, rows * width, Real{0});
  return tape.constant({zeros, {rows, width}});
}

Var StartImage::operator()(Tape& tape, const AttentionMemory& memory) const {
  if (!given_) return {};
  const Var image = pooled_of(tape, memory);
  if (!tape.training() || dropout_ == 0) return image;
  Random random(tape.next_key(Stream::kDropout));
  const View kept{tape.scratch(image.rows()), {image.rows(), 1}};
  for (Index r = 0; r < image.rows(); ++r)
    kept[r] = random.uniform() < dropout_ ? Real{0} : Real{1};
  return ops::scale_rows(image, tape.constant(kept));
}

StateStart::StateStart(const ParamScope& scope, const DecoderParts& parts)
    : dropout_(parts.config.dropout), width_(parts.config.hidden) {
  if (!starts_with_image(parts.config)) return;
  const Index inner = parts.config.init_hidden;
  hidden_weight_ = declare_matrix(scope, "hidden", parts.widths.features, inner);
  hidden_bias_ = declare_bias(scope, "hidden_bias", inner);
  weight_ = declare_matrix(scope, "weight", inner, width_);
  bias_ = declare_bias(scope, "bias", width_);
}

Var StateStart::operator()(Tape& tape, Index memories, Var image) const {
  if (!image) return zero_rows(tape, memories, width_);
  Var hidden =
      ops::tanh(ops::linear(image, tape.parameter(hidden_weight_), tape.parameter(hidden_bias_)));
  hidden = ops::dropout(hidden, dropout_);
  return ops::tanh(ops::linear(hidden, tape.parameter(weight_), tape.parameter(bias_)));
}

RegionPairs::RegionPairs(std::span<const Var> regions, Index rows, const AttentionMemory& memory,
                         Var gate)
    : regions_(regions), gate_(gate) {
  const Index count = memory.regions();
  for (Index r = 0; r < rows; ++r)
    for (Index l = 0; l < count; ++l) {
      row_of_.push_back(static_cast<int>(r));
      region_of_.push_back(static_cast<int>(r / memory.layout.group * count + l));
    }
}

Var RegionPairs::of_rows(Var x) const { return ops::embedding(x, row_of_); }

Var RegionPairs::of_regions(std::size_t part) const {
  const Var own = ops::embedding(regions_[part], region_of_);
  return gate_ ? ops::scale_rows(own, of_rows(gate_)) : own;
}

DeepOutput::DeepOutput(const DecoderParts& parts, int embedding)
    : dropout_(parts.config.dropout),
      hidden_(declare_matrix(parts.scope.sub("output"), "hidden", parts.config.hidden,
                             parts.config.embedding)),
      context_(
          declare_context(parts.scope.sub("output"), "context", parts, parts.config.embedding)),
      bias_(declare_bias(parts.scope.sub("output"), "bias", parts.config.embedding)),
      words_(parts.scope.sub("output"), parts, parts.config.embedding, embedding) {}

Var DeepOutput::logits(Tape& tape, Var words, Var h, Var z) const {
  Var deep = ops::linear(ops::dropout(h, dropout_), tape.parameter(hidden_), tape.parameter(bias_));
  deep = plus_product(tape, deep, z, context_, Sum::kInPlace);
  deep = ops::dropout(ops::tanh(ops::add(words, deep)), dropout_);
  return words_(tape, deep);
}

Var DeepOutput::of_regions(Tape& tape, Var features) const {
  return ops::linear(features, tape.parameter(context_));
}

Var DeepOutput::region_logits(Tape& tape, Var words, Var h, const RegionPairs& pairs,
                              std::size_t part) const {
  Var deep = ops::linear(ops::dropout(h, dropout_), tape.parameter(hidden_), tape.parameter(bias_));
  deep = ops::add(ops::add(deep, pairs.of_regions(part)), pairs.of_rows(words));
  deep = ops::dropout(ops::tanh(deep), dropout_);
  return words_(tape, deep);
}

Sentinel::Sentinel(const DecoderParts& parts)
    : word_(declare_matrix(parts.scope.sub("sentinel"), "word", parts.config.embedding,
                           parts.config.hidden)),
      hidden_(declare_matrix(parts.scope.sub("sentinel"), "hidden", parts.config.hidden,
                             parts.config.hidden)),
      bias_(declare_bias(parts.scope.sub("sentinel"), "bias", parts.config.hidden)) {}

Var Sentinel::project_words(Tape& tape, Var words) const {
  return ops::linear(words, tape.parameter(word_), tape.parameter(bias_));
}

Var Sentinel::operator()(Tape& tape, Var from_words, Var h, Var c) const {
  const Var gate = ops::sigmoid(ops::accumulate_linear(from_words, h, tape.parameter(hidden_)));
  return ops::multiply(gate, ops::tanh(c));
}

ValueHead::ValueHead(const DecoderParts& parts)
    : weight_(declare_matrix(parts.scope.sub("value"), "weight", parts.config.hidden, 1)),
      bias_(declare_bias(parts.scope.sub("value"), "bias", 1)) {
  const ParamScope scope = parts.scope.sub("value");
  scope.store().set_apart(scope.prefix());
}

Var ValueHead::operator()(Tape& tape, Var h) const {
  return ops::linear(tape.constant(h.value()), tape.parameter(weight_), tape.parameter(bias_));
}

bool wants_value_head(const AttentionConfig& attention) {
  return draws_regions(attention.selection) &&
         resolved(attention.hard).baseline == BaselineKind::kLearned;
}

void Cell::declare_value_head(const DecoderParts& parts) {
  if (wants_value_head(parts.attention)) value_head_.emplace(parts);
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade

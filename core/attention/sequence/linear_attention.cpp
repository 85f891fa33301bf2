#include "core/attention/sequence/linear_attention.h"

#include "core/ops/linear_attention.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

LinearAttention::LinearAttention(const ParamScope& scope, const SequenceWidths& widths)
    : features_(widths.features),
      heads_(checked_heads(widths)),
      query_(scope.sub("query"), {widths.features, widths.features}),
      key_(scope.sub("key"), {widths.features, widths.features}),
      value_(scope.sub("value"), {widths.features, widths.features}),
      output_(scope.sub("output"), {widths.features, widths.features}) {}

Var LinearAttention::operator()(Tape& tape, Var x, const AttentionMask& mask) const {
  return output_(
      tape, ops::linear_attention(query_(tape, x), key_(tape, x), value_(tape, x), heads_, mask));
}

std::vector<Var> LinearAttention::kept(Tape& tape, Var x) const {
  return {key_(tape, x), value_(tape, x)};
}

Var LinearAttention::attend_causally(Tape& tape, Var x, std::span<const Var> kept) const {
  return output_(tape, ops::linear_attention(query_(tape, x), kept[0], kept[1], heads_,
                                             causal_mask(x.shape()[1], kept[0].shape()[1])));
}

ConstView LinearAttention::causal_weights(Tape& tape, Var x, std::span<const Var> kept) const {
  return ops::linear_attention_weights(query_(tape, x), kept[0], heads_,
                                       causal_mask(x.shape()[1], kept[0].shape()[1]));
}

ConstView LinearAttention::weights(Tape& tape, Var x, const AttentionMask& mask) const {
  return ops::linear_attention_weights(query_(tape, x), key_(tape, x), heads_, mask);
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade

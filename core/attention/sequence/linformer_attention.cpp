#include "core/attention/sequence/linformer_attention.h"

#include <cmath>

#include "core/ops/project_length.h"
#include "core/ops/sdpa.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

namespace {

int declare_mixtures(const ParamScope& scope, const std::string& name,
                     const LinformerExtents& extents) {
  if (extents.most < 1 || extents.projected < 1)
    throw UsageError(
        str("Linformer needs a longest sequence and a number of mixtures of at least 1; got ",
            extents.most, " and ", extents.projected));
  return scope.declare(name, {extents.most, extents.projected},
                       Init::normal(1 / std::sqrt(static_cast<double>(extents.projected))));
}

}  // namespace

LinformerAttention::LinformerAttention(const ParamScope& scope, const SequenceWidths& widths,
                                       const LinformerExtents& extents)
    : heads_(checked_heads(widths)),
      query_(scope.sub("query"), {widths.features, widths.features}),
      key_(scope.sub("key"), {widths.features, widths.features}),
      value_(scope.sub("value"), {widths.features, widths.features}),
      output_(scope.sub("output"), {widths.features, widths.features}),
      key_mixtures_(declare_mixtures(scope, "key_mixtures", extents)),
      value_mixtures_(declare_mixtures(scope, "value_mixtures", extents)) {}

// Mixing comes before the products with the weights, because it leaves fewer rows to multiply.
Var LinformerAttention::mixtures(Tape& tape, Var x, int map, const AttentionMask& mask) const {
  refuse_patterns("linformer", mask);
  SACCADE_CHECK(mask.allowed.empty(), "[linformer] keys can only be left out by length");
  return ops::project_length(x, tape.parameter(map), mask.lengths);
}

Var LinformerAttention::operator()(Tape& tape, Var x, const AttentionMask& mask) const {
  const Var keys = key_(tape, mixtures(tape, x, key_mixtures_, mask)),
            values = value_(tape, mixtures(tape, x, value_mixtures_, mask));
  return output_(tape, ops::sdpa(query_(tape, x), keys, values, heads_, {}));
}

ConstView LinformerAttention::weights(Tape& tape, Var x, const AttentionMask& mask) const {
  return ops::sdpa_weights(query_(tape, x), key_(tape, mixtures(tape, x, key_mixtures_, mask)),
                           heads_, {});
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade

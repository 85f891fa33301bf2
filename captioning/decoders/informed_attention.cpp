#include "captioning/decoders/informed_attention.h"

#include "core/attention/gate_kind.h"
#include "core/attention/make_attention.h"
#include "core/attention/scores/score_kind.h"
#include "core/ops/linear.h"
#include "core/ops/pointwise.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

InformedAttention::InformedAttention(InformedKind kind, const ParamScope& scope,
                                     const InformedWidths& widths)
    : kind_(kind) {
  if (kind == InformedKind::kProphet) {
    weight_ = scope.declare("weight", {widths.embedding, widths.query},
                            Init::glorot(widths.embedding, widths.query));
    return;
  }
  AttentionConfig config;
  config.score = ScoreKind::kGeneral;
  config.gate = GateKind::kNone;
  localizer_ = make_attention(
      config, {.features = widths.features, .query = widths.embedding, .keys = widths.keys}, scope);
}

Var InformedAttention::queries(Tape& tape, Var words, Var decoder_queries) const {
  return localizer_ ? words
                    : ops::add(decoder_queries, ops::linear(words, tape.parameter(weight_)));
}

PreparedInformedAttention prepare_informed(Tape& tape, const InformedAttention& attention,
                                           const EncodedImages& images, const MemoryLayout& layout,
                                           std::span<const int> rows) {
  PreparedInformedAttention out{.attention = &attention};
  if (!attention.localizer()) return out;
  out.memory = attention.localizer()->prepare(tape, {images.features, images.keys}, layout);
  if (!rows.empty()) out.memory = memory_of_rows(out.memory, rows);
  return out;
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade

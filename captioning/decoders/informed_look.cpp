#include "captioning/decoders/informed_look.h"

#include "core/attention/make_attention.h"
#include "core/ops/linear.h"
#include "core/ops/pointwise.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

InformedLook::InformedLook(InformedKind kind, const ParamScope& scope, const InformedWidths& widths)
    : kind_(kind) {
  if (kind == InformedKind::kProphet) {
    weight_ = scope.declare("weight", {widths.embedding, widths.query},
                            Init::glorot(widths.embedding, widths.query));
    return;
  }
  AttentionConfig localizer;
  localizer.score = ScoreKind::kGeneral;
  localizer.gate = GateKind::kNone;
  attention_ = make_attention(
      localizer, {.features = widths.features, .query = widths.embedding, .keys = widths.keys},
      scope);
}

Var InformedLook::queries(Tape& tape, Var words, Var asked) const {
  return attention_ ? words : ops::add(asked, ops::linear(words, tape.parameter(weight_)));
}

PreparedLook prepare_look(Tape& tape, const InformedLook& look, const EncodedImages& images,
                          const MemoryLayout& layout, std::span<const int> rows) {
  PreparedLook out{.look = &look};
  if (!look.attention()) return out;
  out.memory = look.attention()->prepare(tape, {images.features, images.keys}, layout);
  if (!rows.empty()) out.memory = memory_of_rows(out.memory, rows);
  return out;
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade

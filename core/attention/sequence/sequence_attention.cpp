#include "core/attention/sequence/sequence_attention.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

std::vector<Var> SequenceAttention::kept(Tape&, Var) const {
  throw InternalError("this attention cannot be causal");
}

Var SequenceAttention::attend_causally(Tape&, Var, std::span<const Var>) const {
  throw InternalError("this attention cannot be causal");
}

ConstView SequenceAttention::causal_weights(Tape&, Var, std::span<const Var>) const {
  throw InternalError("this attention cannot be causal");
}

AttentionMask causal_mask(Index queries, Index positions) {
  SACCADE_CHECK(queries >= 1 && queries <= positions, "[causal attention] ", queries,
                " queries of ", positions, " positions");
  // A single query is the last position and sees all.
  if (queries == 1) return {};
  return {.pattern = AttentionMask::Pattern::kCausal};
}

Index checked_heads(const SequenceWidths& widths) {
  if (widths.heads < 1 || widths.features < 1 || widths.features % widths.heads != 0)
    throw UsageError(str(widths.key, " ", widths.heads, " does not divide the width ",
                         widths.features, "; choose a divisor of it"));
  return widths.heads;
}

void refuse_patterns(const char* mechanism, const AttentionMask& mask) {
  SACCADE_CHECK(mask.pattern == AttentionMask::Pattern::kAll, "[", mechanism,
                "] brings its own pattern of keys and takes no other");
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade

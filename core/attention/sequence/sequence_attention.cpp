#include "core/attention/sequence/sequence_attention.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

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

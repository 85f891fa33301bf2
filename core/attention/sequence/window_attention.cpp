#include "core/attention/sequence/window_attention.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

WindowAttention::WindowAttention(const ParamScope& scope, const SequenceWidths& widths,
                                 const Window& window)
    : attention_(scope, widths), window_(window) {
  if (window.radius < 0 || window.global < 0)
    throw UsageError(str("a window has radius and global positions of at least 0; got ",
                         window.radius, " and ", window.global));
}

AttentionMask WindowAttention::windowed(const AttentionMask& mask) const {
  refuse_patterns("window", mask);
  AttentionMask own = mask;
  own.pattern = AttentionMask::Pattern::kWindow;
  own.radius = window_.radius, own.global = window_.global;
  return own;
}

Var WindowAttention::operator()(Tape& tape, Var x, const AttentionMask& mask) const {
  return attention_(tape, x, windowed(mask));
}

ConstView WindowAttention::weights(Tape& tape, Var x, const AttentionMask& mask) const {
  return attention_.weights(tape, x, windowed(mask));
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade

// Multi-head attention among near positions (Beltagy et al. 2020, "Longformer", section 3.1).
#pragma once

#include "core/attention/sequence/multi_head_attention.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// Position t sees s if |t - s| <= radius, and the first `global` positions see and are seen by all.
struct Window {
  Index radius = 0, global = 0;
};

// Declares what MultiHeadAttention does; its cost is linear in the length. The mask may leave keys
// out by sample, but not all of a position's.
class WindowAttention : public SequenceAttention {
 public:
  WindowAttention(const ParamScope& scope, const SequenceWidths& widths, const Window& window);
  Var operator()(Tape& tape, Var x, const AttentionMask& mask) const override;
  ConstView weights(Tape& tape, Var x, const AttentionMask& mask) const override;

 private:
  AttentionMask windowed(const AttentionMask& mask) const;
  MultiHeadAttention attention_;
  Window window_;
};

}  // namespace SACCADE_NUMERIC
}  // namespace saccade

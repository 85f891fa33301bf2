// Attention over a whole sequence (the regions of a grid, the words of a caption): all positions
// are queries at once, and each gets a vector of its own width. sequence_attentions.def lists the
// mechanisms.
#pragma once

#include "core/autograd/tape.h"
#include "core/kernels/attention_mask.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

class SequenceAttention {
 public:
  virtual ~SequenceAttention() = default;
  // x [B, L, D] -> [B, L, D]. Throws ShapeError for a mask that has no meaning to the mechanism.
  virtual Var operator()(Tape& tape, Var x, const AttentionMask& mask) const = 0;
  // How much position t of head h took from position s, for recorders: [B, H, L, L] in the tape's
  // arena. It is computed anew, without gradient.
  virtual ConstView weights(Tape& tape, Var x, const AttentionMask& mask) const = 0;
  // Whether each weight belongs to a single position. Linformer's belong to mixtures of all.
  virtual bool weighs_positions() const { return true; }
};

// The width D, and the number of heads that share it.
struct SequenceWidths {
  Index features = 0, heads = 1;
  const char* key = "heads";  // the config key of `heads`, for messages
};

// Returns widths.heads. Throws UsageError where they do not divide the features.
Index checked_heads(const SequenceWidths& widths);

// Throws ShapeError, with `mechanism` in front, if the mask has a pattern other than kAll.
void refuse_patterns(const char* mechanism, const AttentionMask& mask);

}  // namespace SACCADE_NUMERIC
}  // namespace saccade

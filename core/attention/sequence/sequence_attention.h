// Attention over a whole sequence (the regions of a grid, the words of a caption): every position
// is a query, all at once, and gets a vector of its own width. Mechanisms are listed in
// mechanisms.def.
#pragma once

#include "core/autograd/tape.h"
#include "core/kernels/attention_mask.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

class SequenceAttention {
 public:
  virtual ~SequenceAttention() = default;
  // x [B, L, D] -> [B, L, D]. Throws ShapeError on a mask that means nothing to the mechanism.
  virtual Var operator()(Tape& tape, Var x, const AttentionMask& mask) const = 0;
  // How much position t of head h took from position s, for recorders: [B, H, L, L] in the tape's
  // arena, computed anew and without gradient.
  virtual ConstView weights(Tape& tape, Var x, const AttentionMask& mask) const = 0;
};

// D and into how many heads it is cut.
struct SequenceWidths {
  Index features = 0, heads = 1;
  const char* key = "heads";  // of a config, that says how many; for messages
};

// widths.heads; throws UsageError where they do not divide the features.
Index checked_heads(const SequenceWidths& widths);

// Throws ShapeError, `mechanism` first, if the mask has a pattern other than kAll.
void refuse_patterns(const char* mechanism, const AttentionMask& mask);

}  // namespace SACCADE_NUMERIC
}  // namespace saccade

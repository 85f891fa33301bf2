// Attention over a whole sequence (the regions of a grid, the words of a caption): all positions
// are queries at once, and each gets a vector of its own width. sequence_attentions() lists the
// mechanisms.
#pragma once

#include <span>
#include <vector>

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
  // Attention of every position to itself and to earlier ones, for sequences that grow. A position
  // keeps what later ones read of it: the widths of its vectors. Empty where the mechanism cannot
  // be causal; the functions below then throw InternalError.
  virtual std::vector<Index> causal_widths() const { return {}; }
  // The vectors of positions x [B, T, D], [B, T, width] each.
  virtual std::vector<Var> kept(Tape& tape, Var x) const;
  // The attention of x [B, T, D], the last T positions of those whose vectors [B, S, width] are
  // kept -> [B, T, D]. Only self_attention takes a T that is neither 1 nor S.
  virtual Var attend_causally(Tape& tape, Var x, std::span<const Var> kept) const;
  // The weights of the same attention, [B, H, T, S], as weights() gives them.
  virtual ConstView causal_weights(Tape& tape, Var x, std::span<const Var> kept) const;
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

// The mask of T queries that are the last of S positions: each sees itself and those before it.
AttentionMask causal_mask(Index queries, Index positions);

// Throws ShapeError, with `mechanism` in front, if the mask has a pattern other than kAll.
void refuse_patterns(const char* mechanism, const AttentionMask& mask);

}  // namespace SACCADE_NUMERIC
}  // namespace saccade

// Multi-head attention among nearby positions (Beltagy et al. 2020, "Longformer", section 3.1).
#pragma once

#include "core/attention/sequence/multi_head_attention.h"
#include "core/attention/sequence/neighbour_lists.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// Position t attends to s if |t - s| <= radius. The first `global` positions attend to all
// positions, and all attend to them.
struct Window {
  Index radius = 0, global = 0;
};

// Declares what MultiHeadAttention declares. Its cost is linear in the length. The mask may leave
// out positions of a sample.
class WindowAttention : public SequenceAttention {
 public:
  WindowAttention(const ParamScope& scope, const SequenceWidths& widths, const Window& window);
  Var operator()(Tape& tape, Var x, const AttentionMask& mask) const override;
  ConstView weights(Tape& tape, Var x, const AttentionMask& mask) const override;
  // Of the positions up to its own, position t sees those that the window permits.
  std::vector<Index> causal_widths() const override { return attention_.causal_widths(); }
  std::vector<Var> kept(Tape& tape, Var x) const override { return attention_.kept(tape, x); }
  Var attend_causally(Tape& tape, Var x, std::span<const Var> kept) const override;
  ConstView causal_weights(Tape& tape, Var x, std::span<const Var> kept) const override;

 private:
  // The earlier positions, and its own, that each of the last `queries` positions sees.
  NeighbourLists earlier(Index queries, Index positions) const;
  // The positions that both mask and window permit. Where they have to be lists, `lists` keeps
  // them.
  AttentionMask windowed(Var x, const AttentionMask& mask, NeighbourLists& lists) const;
  MultiHeadAttention attention_;
  Window window_;
};

}  // namespace SACCADE_NUMERIC
}  // namespace saccade

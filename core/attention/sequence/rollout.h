// Attention rollout (Abnar & Zuidema 2020, section 3): how much of each position before the first
// block is in each position after the last one, if attention mixes positions and residual
// connections keep them.
#pragma once

#include "core/tensor/tensor.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

class Rollout {
 public:
  // Starts with the identity over `positions`. discard, in [0, 1), is the share of every row's
  // weights that each block leaves out: the smallest first, of equal ones the later first, and
  // never all of them. (Gildenblat 2020 discards from a whole map in this way.) Throws ShapeError
  // for other arguments.
  explicit Rollout(Index positions, double discard = 0);
  // Adds a block with weights A [T, T], all at least 0: R <- A' R, where the rows of A' are those
  // of A / 2 + I / 2, divided by their sums. Throws ShapeError for another shape and for a weight
  // that is below 0 or not finite.
  void add(ConstView weights);
  // R [T, T]: row t holds the shares of all positions in position t. Every row sums to 1.
  const Tensor& shares() const { return shares_; }

 private:
  double discard_;
  Tensor shares_;
};

}  // namespace SACCADE_NUMERIC
}  // namespace saccade

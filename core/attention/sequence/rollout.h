// Attention rollout (Abnar & Zuidema 2020, section 3): what each position behind several blocks has
// of each position before the first, if attention mixes and residuals keep.
#pragma once

#include "core/tensor/tensor.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

class Rollout {
 public:
  // The identity over `positions`. discard: the share of every row's weights, in [0, 1), that each
  // block leaves out, the smallest first and of equal ones the later (Gildenblat 2020 cuts a whole
  // map that way); at least one is kept. Throws ShapeError on anything else.
  explicit Rollout(Index positions, double discard = 0);
  // One more block with weights A [T, T], none below 0: R <- A' R, with A' the rows of A / 2 + I /
  // 2 divided by their sums. Throws ShapeError on another shape or a weight that is below 0 or not
  // finite.
  void add(ConstView weights);
  // R [T, T]: row t is position t's shares; every row sums to 1.
  const Tensor& shares() const { return shares_; }

 private:
  double discard_;
  Tensor shares_;
};

}  // namespace SACCADE_NUMERIC
}  // namespace saccade

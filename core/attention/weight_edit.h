// Ablations of a map: its weights are replaced before they become a context, to find out whether
// captions need the map.
#pragma once

#include <span>
#include <vector>

#include "core/attention/attention.h"
#include "core/base/random.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// How the weights of one glimpse are replaced. The sum of a row stays, so an edit changes where a
// model attends, and not how much of the image it takes. A scope that remembers the weights of a
// glimpse continues with its own weights, not with the edited ones.
class WeightEdit {
 public:
  virtual ~WeightEdit() = default;
  // Replaces, in place, the weights [n] of one row over the unmasked regions of memory number
  // `memory`.
  virtual void edit(Index memory, std::span<Real> weights) const = 0;
};

// Gives every region the mean of all weights, which is 1 / n where they sum to 1.
class UniformWeights : public WeightEdit {
 public:
  // Replaces every weight by the mean of all.
  void edit(Index memory, std::span<Real> weights) const override;
};

// Permutes the weights over the regions. Each memory has one permutation, which its rows and heads
// share.
class ShuffledWeights : public WeightEdit {
 public:
  // Sets the permutations of the next glimpses: memory m is permuted by keys[m].
  void set_keys(std::vector<RandomKey> keys) { keys_ = std::move(keys); }
  // Permutes the weights by the key of the memory. Throws InternalError where it has none.
  void edit(Index memory, std::span<Real> weights) const override;

 private:
  std::vector<RandomKey> keys_;
};

// weights [R, L], or [R, L + 1] with the sentinel's weight last, which stays. Without an edit,
// returns the weights as they are. Throws ShapeError on a tape that records, because the new
// weights have no gradient.
Var edited(Tape& tape, Var weights, const AttentionMemory& memory, const WeightEdit* edit);

}  // namespace SACCADE_NUMERIC
}  // namespace saccade

// Ablations of a map: weights are replaced before they become a context, to find whether captions
// need the map.
#pragma once

#include <span>
#include <vector>

#include "core/attention/attention.h"
#include "core/base/random.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// How the weights of one glimpse are replaced. The sum of a row stays, so that an edit changes
// where a model attends and not how much of the image it takes. A scope that remembers the weights
// of a glimpse goes on from its own weights, not from the edited ones.
class WeightEdit {
 public:
  virtual ~WeightEdit() = default;
  // Replaces, in place, the weights [n] that a row gives to the unmasked regions of memory number
  // `memory`.
  virtual void edit(Index memory, std::span<Real> weights) const = 0;
};

// Gives every region the mean of all weights, which is 1 / n where they sum to 1.
class UniformWeights : public WeightEdit {
 public:
  void edit(Index memory, std::span<Real> weights) const override;
};

// Permutes the weights over the regions, by one permutation per memory that its rows and heads
// share.
class ShuffledWeights : public WeightEdit {
 public:
  // The next glimpses permute memory m by keys[m].
  void set_keys(std::vector<RandomKey> keys) { keys_ = std::move(keys); }
  void edit(Index memory, std::span<Real> weights) const override;

 private:
  std::vector<RandomKey> keys_;
};

// weights [R, L], or [R, L + 1] with a sentinel's last, which stays; as they are without an edit.
// Throws ShapeError on a tape that records: what is put in their place has no gradient.
Var edited(Tape& tape, Var weights, const AttentionMemory& memory, const WeightEdit* edit);

}  // namespace SACCADE_NUMERIC
}  // namespace saccade

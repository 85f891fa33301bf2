// Ablations of a map: weights are replaced before they become a context. Does what is said need
// the map at all?
#pragma once

#include <span>
#include <vector>

#include "core/attention/attention.h"
#include "core/base/random.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// How one look's weights are replaced. What a row weighs in all stays, so that an edit changes
// where a model looks and not how much it takes in. A scope that remembers the weights of a look
// goes on from its own.
class WeightEdit {
 public:
  virtual ~WeightEdit() = default;
  // Replaces, in place, a row's weights of those regions of memory number `memory` that its mask
  // lets be seen [n].
  virtual void edit(Index memory, std::span<Real> weights) const = 0;
};

// Each region weighs the mean of all weights: 1 / n where they sum to 1.
class UniformWeights : public WeightEdit {
 public:
  void edit(Index memory, std::span<Real> weights) const override;
};

// The same weights on other regions: a permutation a memory, shared by its rows and heads.
class ShuffledWeights : public WeightEdit {
 public:
  // The next looks permute memory m by keys[m].
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

// The moving average of a model's weights (Polyak and Juditsky 1992). It generalises better than
// the weights of the last update.
#pragma once

#include "core/nn/parameter_store.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// After update t (the first is 1): average += (1 - d) (weights - average) with
//   d = min(decay, (t - 1) / (t + 9)).
// So the average equals the weights after the first update. It then covers about the last tenth of
// all updates, until the window of `decay`, 1 / (1 - decay) updates, is shorter. The bits are the
// same for any number of threads, and the average of weights that never change is equal to them, to
// the bit.
class WeightAverage {
 public:
  // The store must outlive it.
  WeightAverage(ParameterStore& store, double decay);

  static double decay_at(double decay, Index update);

  void add(Index update);
  // Aligned with the store's flat block; zeros before the first update.
  Tensor& values() { return values_; }
  const Tensor& values() const { return values_; }
  // Exchanges the weights with their average.
  void swap();

 private:
  ParameterStore* store_;
  double decay_;
  Tensor values_;
};

}  // namespace SACCADE_NUMERIC
}  // namespace saccade

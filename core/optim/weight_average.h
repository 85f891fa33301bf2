// The moving average of a model's weights (Polyak and Juditsky 1992), which generalises better than
// the weights of the last update.
#pragma once

#include "core/nn/parameter_store.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// After update t (1 is the first): average += (1 - d) (weights - average) with
//   d = min(decay, (t - 1) / (t + 9)),
// so that the average is the weights after the first update, then follows about the last tenth of
// all updates, until decay's own window, 1 / (1 - decay) updates, is shorter. Same bits for any
// number of threads; weights that never change are their own average, to the bit.
class WeightAverage {
 public:
  // The store must outlive it.
  WeightAverage(ParameterStore& store, double decay);

  static double decay_at(double decay, Index update);

  void add(Index update);
  // Aligned with the store's flat block; zeros before the first update.
  Tensor& values() { return values_; }
  const Tensor& values() const { return values_; }
  // Exchanges weights and average.
  void swap();

 private:
  ParameterStore* store_;
  double decay_;
  Tensor values_;
};

}  // namespace SACCADE_NUMERIC
}  // namespace saccade

#include "core/optim/weight_average.h"

#include <algorithm>

#include "core/parallel/parallel.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

namespace {

constexpr Index kBlock = Index{1} << 16;  // elements per task

}  // namespace

WeightAverage::WeightAverage(ParameterStore& store, double decay)
    : store_(&store), decay_(decay), values_(Shape{store.flat_size()}) {}

double WeightAverage::decay_at(double decay, Index update) {
  const auto t = static_cast<double>(update);
  return std::min(decay, (t - 1) / (t + 9));
}

void WeightAverage::add(Index update) {
  const auto share = static_cast<Real>(1 - decay_at(decay_, update));
  const Real* weights = store_->flat().data();
  Real* average = values_.data();
  if (share == 1) {
    std::copy_n(weights, values_.size(), average);
    return;
  }
  parallel::for_blocks(values_.size(), kBlock, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) average[i] += share * (weights[i] - average[i]);
  });
}

void WeightAverage::swap() {
  std::swap_ranges(values_.data(), values_.data() + values_.size(), store_->flat().data());
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade

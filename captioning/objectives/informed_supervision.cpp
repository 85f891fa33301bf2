#include "captioning/objectives/informed_supervision.h"

#include "core/ops/shape_ops.h"
#include "core/ops/supervision_ops.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

namespace {

double sum_of(Var numbers) {
  double sum = 0;
  for (const Real number : numbers.value().span()) sum += static_cast<double>(number);
  return sum;
}

Var times(Var numbers, double weight) {
  return ops::dot_constant(numbers,
                           std::vector<Real>(static_cast<std::size_t>(numbers.shape().size()),
                                             static_cast<Real>(weight)));
}

}  // namespace

InformedSupervision::InformedSupervision(const InformedWords& words, std::span<const Var> weights,
                                         Index step)
    : nll_(words.nll), cost_(sum_of(words.nll)) {
  const auto later = static_cast<std::size_t>(step);
  for (std::size_t t = later; t < weights.size(); ++t) {
    // Longer captions come first, so those that go on are the first rows.
    const ConstView informed = words.weights[t - later].value();
    distances_.push_back(ops::map_distance(weights[t], {informed.data, weights[t].shape()}));
    distance_ += sum_of(distances_.back());
  }
}

Index InformedSupervision::words() const { return nll_.shape().size(); }

Index InformedSupervision::maps() const {
  Index maps = 0;
  for (const Var distances : distances_) maps += distances.shape().size();
  return maps;
}

std::vector<Var> InformedSupervision::terms(const Weights& weights) const {
  std::vector<Var> terms{times(nll_, weights.cost)};
  for (const Var distances : distances_) terms.push_back(times(distances, weights.distance));
  return terms;
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade

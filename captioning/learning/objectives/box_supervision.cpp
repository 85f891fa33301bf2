#include "captioning/learning/objectives/box_supervision.h"

#include <algorithm>

#include "core/ops/shape_ops.h"
#include "core/ops/supervision_ops.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

BoxSupervision::BoxSupervision(std::span<const Var> weights, const SupervisedMaps& supervised) {
  std::vector<std::vector<const AttentionTarget*>> by_step(weights.size());
  for (const AttentionTarget& target : supervised.targets) {
    const Index step = target.word;
    if (step >= static_cast<Index>(weights.size())) continue;
    const Index rows = weights[static_cast<std::size_t>(step)].rows();
    // Longer captions come first, so a caption that has ended is behind the rows.
    if ((target.caption + 1) * supervised.samples <= rows)
      by_step[static_cast<std::size_t>(step)].push_back(&target);
  }
  for (std::size_t step = 0; step < by_step.size(); ++step) {
    if (by_step[step].empty()) continue;
    const Var map = weights[step];
    const Index regions = map.cols();
    std::vector<Real> inside(static_cast<std::size_t>(map.shape().size()), 0);
    for (const AttentionTarget* target : by_step[step]) {
      SACCADE_CHECK(static_cast<Index>(target->inside.size()) == regions,
                    "[box supervision] a target of ", target->inside.size(),
                    " regions for maps of ", regions);
      for (Index i = 0; i < supervised.samples; ++i)
        std::copy(target->inside.begin(), target->inside.end(),
                  inside.begin() + static_cast<std::ptrdiff_t>(
                                       (target->caption * supervised.samples + i) * regions));
      words_ += supervised.samples;
    }
    costs_.push_back(ops::inside_cost(map, {inside.data(), map.shape()}));
    for (const Real cost : costs_.back().value().span()) cost_ += static_cast<double>(cost);
  }
}

std::vector<Var> BoxSupervision::terms(double weight) const {
  std::vector<Var> terms;
  for (const Var cost : costs_)
    terms.push_back(
        ops::dot_constant(cost, std::vector<Real>(static_cast<std::size_t>(cost.shape().size()),
                                                  static_cast<Real>(weight))));
  return terms;
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade

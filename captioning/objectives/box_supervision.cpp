#include "captioning/objectives/box_supervision.h"

#include <algorithm>

#include "core/ops/shape_ops.h"
#include "core/ops/supervision_ops.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

BoxSupervision::BoxSupervision(std::span<const Var> weights, const SupervisedLooks& looks) {
  std::vector<std::vector<const LookTarget*>> by_look(weights.size());
  for (const LookTarget& target : looks.targets) {
    const Index look = target.word + looks.step;
    if (look >= static_cast<Index>(weights.size())) continue;
    const Index rows = weights[static_cast<std::size_t>(look)].rows();
    // Longer captions stand first, so a caption that has ended is beyond the rows.
    if ((target.caption + 1) * looks.samples <= rows)
      by_look[static_cast<std::size_t>(look)].push_back(&target);
  }
  for (std::size_t look = 0; look < by_look.size(); ++look) {
    if (by_look[look].empty()) continue;
    const Var map = weights[look];
    const Index regions = map.cols();
    std::vector<Real> inside(static_cast<std::size_t>(map.shape().size()), 0);
    for (const LookTarget* target : by_look[look]) {
      SACCADE_CHECK(static_cast<Index>(target->inside.size()) == regions,
                    "[box supervision] a target of ", target->inside.size(),
                    " regions for maps of ", regions);
      for (Index i = 0; i < looks.samples; ++i)
        std::copy(target->inside.begin(), target->inside.end(),
                  inside.begin() +
                      static_cast<std::ptrdiff_t>((target->caption * looks.samples + i) * regions));
      words_ += looks.samples;
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

#include "captioning/learning/objectives/localizer_supervision.h"

#include "core/ops/shape_ops.h"
#include "core/ops/supervision_ops.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

std::vector<LocatedStep> located(const PackedCaptions& captions, const LocalizedWords& words) {
  std::vector<LocatedStep> out;
  const auto regions = static_cast<std::size_t>(words.regions());
  std::size_t first = 0;  // of the step among the captions' words
  for (const Index count : captions.rows) {
    const auto rows = static_cast<std::size_t>(count);
    LocatedStep step{.maps = std::vector<Real>(rows * regions),
                     .shares = std::vector<Real>(rows),
                     .regions = words.regions()};
    for (std::size_t r = 0; r < rows; ++r)
      step.shares[r] = static_cast<Real>(
          words.locate(captions.image(static_cast<Index>(r)), captions.targets[first + r],
                       std::span(step.maps).subspan(r * regions, regions)));
    out.push_back(std::move(step));
    first += rows;
  }
  return out;
}

LocalizerSupervision::LocalizerSupervision(std::span<const Var> weights,
                                           std::span<const LocatedStep> words) {
  for (std::size_t t = 0; t < weights.size(); ++t) {
    const std::vector<Real>& share = words[t].shares;
    costs_.push_back(ops::map_divergence(weights[t], words[t].view()));
    for (std::size_t r = 0; r < share.size(); ++r) {
      words_ += static_cast<double>(share[r]);
      cost_ += static_cast<double>(share[r]) *
               static_cast<double>(costs_.back().value()[static_cast<Index>(r)]);
    }
    weights_.push_back(share);
  }
}

std::vector<Var> LocalizerSupervision::terms(double weight) const {
  std::vector<Var> terms;
  for (std::size_t i = 0; i < costs_.size(); ++i) {
    std::vector<Real> rows = weights_[i];
    for (Real& row : rows) row *= static_cast<Real>(weight);
    terms.push_back(ops::dot_constant(costs_[i], rows));
  }
  return terms;
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade

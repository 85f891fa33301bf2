#include "captioning/learning/objectives/shard_supervision.h"

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

ShardSupervision::ShardSupervision(Tape& tape, const SupervisionWeights& weights,
                                   const ShardTargets& targets, const SupervisedShard& shard)
    : weights_(weights), targets_(targets), samples_(shard.samples) {
  if (weights.localizer == 0) return;
  SACCADE_CHECK(targets.localizer && targets.labels, "[supervision] there is no localizer");
  const LocalizedWords words(tape, *targets.localizer, shard.images, targets.labels->words);
  localizer_costs_ = words.costs(*targets.labels);
  rows_per_image_ = static_cast<double>(shard.rows.captions()) /
                    static_cast<double>(localizer_costs_.shape().size());
  located_ = saccade::located(shard.rows, words);
}

void ShardSupervision::compute_costs(const SequenceOutput& output) {
  const std::span<const Var> maps = output.weights();
  if (weights_.boxes > 0)
    boxes_.emplace(maps, SupervisedMaps{.targets = targets_.boxes, .samples = samples_});
  if (weights_.localizer > 0) localized_.emplace(maps, located_);
}

double ShardSupervision::localizer_cost() const {
  double sum = 0;
  if (!localizer_costs_) return sum;
  for (const Real cost : localizer_costs_.value().span()) sum += static_cast<double>(cost);
  return sum;
}

std::vector<Var> ShardSupervision::terms(double share) const {
  std::vector<Var> terms;
  const auto add = [&](const std::vector<Var>& more) {
    terms.insert(terms.end(), more.begin(), more.end());
  };
  if (boxes_) add(boxes_->terms(weights_.boxes * share));
  if (!localized_) return terms;
  add(localized_->terms(weights_.localizer * share));
  const auto images = static_cast<std::size_t>(localizer_costs_.shape().size());
  const double weight = share * rows_per_image_;
  terms.push_back(
      ops::dot_constant(localizer_costs_, std::vector<Real>(images, static_cast<Real>(weight))));
  return terms;
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade

#include "captioning/learning/objectives/shard_supervision.h"

#include "core/ops/shape_ops.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

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

#include "captioning/objectives/shard_supervision.h"

#include <algorithm>

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
  const std::span<const Var> maps = output.weights;
  if (weights_.boxes > 0)
    boxes_.emplace(
        maps,
        SupervisedMaps{.targets = targets_.boxes, .step = weights_.step, .samples = samples_});
  for (const InformedWords& words : output.informed)
    if (words.kind == InformedKind::kProphet)
      prophet_.emplace(words, maps, weights_.step);
    else
      cyclical_.emplace(words, std::span<const Var>{}, 0);
  if (weights_.localizer > 0) localized_.emplace(maps, located_, weights_.step);
}

double ShardSupervision::localizer_cost() const {
  double sum = 0;
  if (!localizer_costs_) return sum;
  for (const Real cost : localizer_costs_.value().span()) sum += static_cast<double>(cost);
  return sum;
}

std::vector<PreparedInformedAttention> ShardSupervision::informed_attention(
    Tape& tape, const SupervisionWeights& weights, const ShardTargets& targets,
    const EncodedImages& images, const MemoryLayout& layout, std::span<const int> rows) {
  std::vector<PreparedInformedAttention> out;
  const auto add = [&](InformedKind kind, double weight) {
    if (weight == 0) return;
    const auto found =
        std::find_if(targets.informed.begin(), targets.informed.end(),
                     [&](const InformedAttention& one) { return one.kind() == kind; });
    SACCADE_CHECK(found != targets.informed.end(), "[supervision] there is no informed attention '",
                  enum_name(kind), "'");
    out.push_back(prepare_informed(tape, *found, images, layout, rows));
  };
  add(InformedKind::kProphet, weights.prophet);
  add(InformedKind::kCyclical, weights.cyclical);
  return out;
}

std::vector<Var> ShardSupervision::terms(double share) const {
  std::vector<Var> terms;
  const auto add = [&](const std::vector<Var>& more) {
    terms.insert(terms.end(), more.begin(), more.end());
  };
  if (boxes_) add(boxes_->terms(weights_.boxes * share));
  if (prophet_) add(prophet_->terms({.cost = share, .distance = weights_.prophet * share}));
  if (cyclical_) add(cyclical_->terms({.cost = weights_.cyclical * share}));
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

#include "captioning/objectives/shard_supervision.h"

#include <algorithm>

#include "core/ops/shape_ops.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

ShardSupervision::ShardSupervision(Tape& tape, const SupervisionWeights& weights,
                                   const ShardTargets& targets, const SupervisedShard& shard)
    : weights_(weights) {
  const std::span<const Var> maps = shard.output.weights;
  if (weights.boxes > 0)
    boxes_.emplace(
        maps,
        SupervisedLooks{.targets = targets.boxes, .step = weights.step, .samples = shard.samples});
  for (const InformedWords& words : shard.output.informed)
    if (words.kind == InformedKind::kProphet)
      prophet_.emplace(words, maps, weights.step);
    else
      cyclical_.emplace(words, std::span<const Var>{}, 0);
  if (weights.localizer == 0) return;
  SACCADE_CHECK(targets.localizer && targets.labels, "[supervision] there is no localizer");
  const LocalizedWords words(tape, *targets.localizer, shard.images, *targets.labels);
  localizer_costs_ = words.costs();
  samples_ = static_cast<double>(shard.samples);
  captions_per_image_ = static_cast<double>(shard.rows.captions() / shard.samples) /
                        static_cast<double>(localizer_costs_.shape().size());
  localized_.emplace(maps, shard.rows, words, weights.step);
}

std::vector<PreparedLook> ShardSupervision::looks(Tape& tape, const SupervisionWeights& weights,
                                                  const ShardTargets& targets,
                                                  const EncodedImages& images,
                                                  const MemoryLayout& layout,
                                                  std::span<const int> rows) {
  std::vector<PreparedLook> out;
  const auto add = [&](InformedKind kind, double weight) {
    if (weight == 0) return;
    const auto found = std::find_if(targets.informed.begin(), targets.informed.end(),
                                    [&](const InformedLook& look) { return look.kind() == kind; });
    SACCADE_CHECK(found != targets.informed.end(), "[supervision] there is no look '",
                  enum_name(kind), "'");
    out.push_back(prepare_look(tape, *found, images, layout, rows));
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
  const double weight = share * samples_ * captions_per_image_;
  terms.push_back(
      ops::dot_constant(localizer_costs_, std::vector<Real>(images, static_cast<Real>(weight))));
  return terms;
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade

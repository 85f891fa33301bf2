#include "captioning/learning/training/stages.h"

#include <algorithm>
#include <limits>

#include "captioning/learning/config/experiment_config.h"
#include "captioning/learning/training/self_critical_step.h"
#include "core/base/error.h"

namespace saccade {

namespace {

constexpr Index kNever = std::numeric_limits<Index>::max();

}  // namespace

Stages::Stages(const ExperimentConfig& config, Index cross_entropy, Index self_critical)
    : cross_entropy_(cross_entropy), self_critical_(self_critical), switch_(kNever) {
  const Stop& stop = config.train.stop;
  TrainingLength length{.updates_per_epoch = cross_entropy};
  if (const std::optional<Stop>& start = config.objective.self_critical.start) {
    if (start->is_time())
      throw UsageError(str("objective.self_critical.start is ", to_string(*start),
                           "; give epochs (10e) or updates (5000u), which do not depend on the "
                           "speed of the machine"));
    switch_ = start->unit == Stop::Unit::kEpochs ? start->count * cross_entropy : start->count;
    length.total = switch_;
  } else if (!stop.is_time()) {
    length.total = updates(stop);
  }
  if (switch_ > 0) first_.emplace(config.optimizer, length);
  if (switch_ < kNever)
    second_.emplace(
        second_stage(config.objective.self_critical, stop.is_time() ? 0 : updates(stop)));
}

// The rates of the second stage; `last` is the last update of the run, or 0 if that is unknown.
Schedule Stages::second_stage(const SelfCriticalConfig& own, Index last) const {
  OptimizerConfig rates;
  rates.lr = own.lr;
  TrainingLength length{.updates_per_epoch = self_critical_};
  if (own.final_lr && last != 0) {
    rates.final_lr = *own.final_lr;
    rates.schedule = ScheduleKind::kCosine;
    length.total = std::max<Index>(last - switch_, 1);  // 1: the stage never begins
  } else if (own.final_lr) {
    throw UsageError(
        "objective.self_critical.final_lr needs to know the last update; give train.stop in epochs "
        "(20e) or updates (5000u)");
  }
  return {rates, length};
}

Index Stages::updates(const Stop& stop) const {
  if (stop.unit == Stop::Unit::kUpdates) return stop.count;
  // The number of epochs that the first stage began.
  const Index first = switch_ == kNever ? kNever : (switch_ + cross_entropy_ - 1) / cross_entropy_;
  if (stop.count <= first) return std::min(stop.count * cross_entropy_, switch_);
  return switch_ + (stop.count - first) * self_critical_;
}

double Stages::rate(Index update) const {
  return self_critical(update) ? second_->rate(update - switch_) : first_->rate(update);
}

BatchPlanOptions batch_plan(const ExperimentConfig& config, std::span<const PlanShare> shares,
                            bool self_critical) {
  const auto seed = static_cast<std::uint64_t>(config.seed);
  if (self_critical)
    return {.seed = seed,
            .batch = config.train.batch,
            .shard = self_critical_shard(config),
            .captions = CaptionsPerEpoch::kOnePerImage,
            .shares = {shares.begin(), shares.end()}};
  return {.seed = seed,
          .batch = config.train.batch,
          .shard = config.train.shard,
          .bucket_batches = config.train.bucket,
          .captions = config.train.captions,
          .shares = {shares.begin(), shares.end()}};
}

Stages stages_of(const ExperimentConfig& config, std::span<const PlanItem> items,
                 std::span<const PlanShare> shares) {
  const auto batches = [&](bool self_critical) {
    return static_cast<Index>(
        plan_epoch(items, batch_plan(config, shares, self_critical), 0).size());
  };
  return {config, batches(false), batches(true)};
}

}  // namespace saccade

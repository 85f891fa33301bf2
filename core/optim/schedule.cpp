#include "core/optim/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/base/error.h"

namespace saccade {

Schedule::Schedule(const OptimizerConfig& config, const TrainingLength& length)
    : kind_(config.schedule),
      lr_(config.lr),
      final_lr_(config.final_lr),
      factor_(config.decay_factor),
      warmup_(config.warmup),
      total_(length.total) {
  if (kind_ == ScheduleKind::kStep) {
    if (config.decay_every.is_time())
      throw UsageError(str("optimizer.decay_every is ", to_string(config.decay_every),
                           "; give epochs (10e) or updates (5000u), which do not depend on the "
                           "speed of the machine"));
    every_ = config.decay_every.count;
    if (config.decay_every.unit == Stop::Unit::kEpochs) every_ *= length.updates_per_epoch;
    if (every_ < 1)
      throw UsageError("optimizer.decay_every must be at least one update (10e, 5000u)");
  }
  if (kind_ == ScheduleKind::kCosine) {
    if (total_ < 1)
      throw UsageError(
          "optimizer.schedule needs to know the last update; give train.stop in epochs (20e) or "
          "updates (5000u)");
    if (warmup_ >= total_)
      throw UsageError(str("optimizer.warmup is ", warmup_, " updates and training has ", total_,
                           "; shorten the warm-up or train longer"));
  }
}

double Schedule::rate(Index update) const {
  if (update < warmup_) return lr_ * static_cast<double>(update + 1) / static_cast<double>(warmup_);
  switch (kind_) {
    case ScheduleKind::kConstant:
      return lr_;
    case ScheduleKind::kStep:
      return lr_ * std::pow(factor_, static_cast<double>(update / every_));
    case ScheduleKind::kCosine: {
      const double done = std::min(
          1.0, static_cast<double>(update - warmup_) / static_cast<double>(total_ - warmup_));
      return final_lr_ + (lr_ - final_lr_) * (1 + std::cos(std::numbers::pi * done)) / 2;
    }
  }
  throw InternalError("schedule kind without a formula");
}

}  // namespace saccade

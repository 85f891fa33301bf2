// Schedule: the learning rate as a pure function of the update number.
#pragma once

#include "core/base/real.h"
#include "core/optim/optimizer_config.h"

namespace saccade {

// The length of training, in updates.
struct TrainingLength {
  Index updates_per_epoch = 0;
  Index total = 0;  // 0 if unknown, as with a time limit
};

class Schedule {
 public:
  // Throws UsageError if the schedule cannot be computed in updates: a cosine without a known
  // total or with a warm-up that is not shorter than the run, or steps given in time.
  Schedule(const OptimizerConfig& config, const TrainingLength& length);

  // The learning rate of update 0, 1, ...: lr (u + 1) / warmup while u < warmup, then
  //   constant  lr
  //   step      lr factor^floor(u / every)
  //   cosine    final + (lr - final) (1 + cos(pi (u - warmup) / (total - warmup))) / 2
  double rate(Index update) const;

 private:
  ScheduleKind kind_;
  double lr_, final_lr_, factor_;
  Index warmup_, every_ = 0, total_;
};

}  // namespace saccade

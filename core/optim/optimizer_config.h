// The section `optimizer`: how the objective is minimised.
#pragma once

#include <cstdint>

#include "core/base/enum_names.h"
#include "core/config/constraint.h"
#include "core/config/stop.h"
#include "core/optim/rate_groups.h"

namespace saccade {

enum class OptimizerKind { kSgd, kRmsprop, kAdam, kAdamw };
constexpr auto enum_table(OptimizerKind) {
  using enum OptimizerKind;
  return enum_rows<OptimizerKind>({
      {kSgd, "sgd", "gradient descent with momentum"},
      {kRmsprop, "rmsprop", "RMSProp (rho, epsilon)"},
      {kAdam, "adam", "Adam (beta1, beta2, epsilon)"},
      {kAdamw, "adamw", "Adam with decoupled weight decay"},
  });
}

enum class ScheduleKind { kConstant, kStep, kCosine, kWarmupCosine };
constexpr auto enum_table(ScheduleKind) {
  using enum ScheduleKind;
  return enum_rows<ScheduleKind>({
      {kConstant, "constant", "lr from the end of the warm-up on"},
      {kStep, "step", "lr times decay_factor after every decay_every"},
      {kCosine, "cosine", "half a cosine from lr to final_lr over the whole run"},
      {kWarmupCosine, "warmup_cosine", "a linear rise over `warmup`, then the half cosine"},
  });
}

struct OptimizerConfig {
  OptimizerKind type = OptimizerKind::kAdam;
  double lr = 4e-4;
  double momentum = 0.9;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double rho = 0.95;
  double epsilon = 1e-8;
  double weight_decay = 0;
  double clip_norm = 0;
  double clip_value = 0;
  double ema = 0;
  ScheduleKind schedule = ScheduleKind::kConstant;
  std::int64_t warmup = 0;
  Stop decay_every = epochs(10);
  double decay_factor = 0.5;
  double final_lr = 0;
  RateGroups groups = {};

  template <class V>
  void fields(V& v) {
    v.field("type", type, "the optimizer");
    v.field("lr", lr, "learning rate", above(0));
    v.field("groups", groups,
            "factors of the learning rate by prefix of the parameters' names, such as "
            "{decoder.attention: 5}; the longest prefix of a name counts",
            between(0, 1e6));
    v.field("momentum", momentum, "share of the last step that goes into the next",
            between_open_end(0, 1))
        .only_with("optimizer.type", OptimizerKind::kSgd);
    v.field("beta1", beta1, "decay of the first moment", between_open_end(0, 1))
        .only_with("optimizer.type", OptimizerKind::kAdam, OptimizerKind::kAdamw);
    v.field("beta2", beta2, "decay of the second moment", between_open_end(0, 1))
        .only_with("optimizer.type", OptimizerKind::kAdam, OptimizerKind::kAdamw);
    v.field("rho", rho, "decay of the squared gradient", between_open_end(0, 1))
        .only_with("optimizer.type", OptimizerKind::kRmsprop);
    v.field("epsilon", epsilon, "added to the denominator", above(0))
        .unless("optimizer.type", OptimizerKind::kSgd);
    v.field("weight_decay", weight_decay, "L2 decay; decoupled for adamw", at_least(0));
    v.field("clip_norm", clip_norm, "largest norm of the whole gradient; 0 = off", at_least(0));
    v.field("clip_value", clip_value, "largest gradient element; 0 = off", at_least(0));
    v.field("ema", ema,
            "decay of the moving average of the weights; this average is validated, saved as the "
            "best model and used for captions; 0 = none",
            between_open_end(0, 1));
    v.field("schedule", schedule, "how the learning rate changes");
    v.field("warmup", warmup, "updates of linear rise at the start; 0 = none", at_least(0));
    v.field("decay_every", decay_every, "amount of training between drops of the learning rate")
        .only_with("optimizer.schedule", ScheduleKind::kStep);
    v.field("decay_factor", decay_factor, "factor of the learning rate at each drop",
            {.min = 0, .max = 1, .min_open = true})
        .only_with("optimizer.schedule", ScheduleKind::kStep);
    v.field("final_lr", final_lr, "learning rate at the end", at_least(0))
        .only_with("optimizer.schedule", ScheduleKind::kCosine, ScheduleKind::kWarmupCosine);
  }
};

}  // namespace saccade

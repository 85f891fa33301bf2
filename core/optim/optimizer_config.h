// The section `optimizer`: how the objective is minimised.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/enum_names.h"
#include "core/config/stop.h"

namespace saccade {

class Section;
class Slot;

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

enum class ScheduleKind { kConstant, kStep, kCosine };
constexpr auto enum_table(ScheduleKind) {
  using enum ScheduleKind;
  return enum_rows<ScheduleKind>({
      {kConstant, "constant", "lr from the end of the warm-up on"},
      {kStep, "step", "lr times decay_factor after every decay_every"},
      {kCosine, "cosine",
       "half a cosine from lr at the first update after the warm-up to final_lr, which the update "
       "after the last one would have"},
  });
}
constexpr auto enum_former_names(ScheduleKind) {
  return enum_rows<ScheduleKind>({{ScheduleKind::kCosine, "warmup_cosine", ""}});
}

// A group of `optimizer.groups`: all parameters whose name is `prefix`, or starts with `prefix` and
// a dot.
struct RateGroup {
  std::string prefix;
  double factor = 1;  // a factor on their learning rate; 0: they do not change

  friend bool operator==(const RateGroup&, const RateGroup&) = default;
};
using RateGroups = std::vector<RateGroup>;

// Written as a map from prefix to factor: `{decoder.attention: 5, decoder.embedding: 0.1}`.
std::unique_ptr<Slot> make_slot(RateGroups& groups);

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

  void fields(Section& v);
};

}  // namespace saccade

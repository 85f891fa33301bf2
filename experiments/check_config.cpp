#include "experiments/check_config.h"

#include "core/attention/make_attention.h"
#include "core/optim/schedule.h"

namespace saccade {

// The parts know what they cannot be made of.
void check_config(const ExperimentConfig& config) {
  resolved(config.attention.hard);
  ParameterStore unused;
  make_attention(config.attention, 1, 1, ParamScope(unused, "attention"));
  constexpr Index kEpoch = 1'000'000;  // updates; the data would tell
  const Stop& stop = config.train.stop;
  const Index total = stop.is_time()                     ? 0
                      : stop.unit == Stop::Unit::kEpochs ? stop.count * kEpoch
                                                         : stop.count;
  Schedule(config.optimizer, {.updates_per_epoch = kEpoch, .total = total});
}

}  // namespace saccade

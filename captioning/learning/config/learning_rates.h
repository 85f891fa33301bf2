// How fast the parameters of a model learn.
#pragma once

#include "captioning/learning/config/experiment_config.h"
#include "core/nn/parameter_store.h"

namespace saccade {

// Multiplies the rates of the encoder's parameters by encoder.lr / optimizer.lr, and those of every
// parameter by the factor of its group in optimizer.groups: the group with the longest prefix of
// its name. Frozen parameters stay frozen. Throws UsageError where no parameter's name has a
// group's prefix; the message lists the prefixes that there are.
void set_learning_rates(const ExperimentConfig& config, ParameterStore& parameters);

}  // namespace saccade

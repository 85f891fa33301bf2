// The learning rates of groups of parameters (optimizer.groups).
#pragma once

#include "core/config/rate_groups.h"
#include "core/nn/parameter_store.h"

namespace saccade {

// Multiplies the rate of every parameter with the factor of its group, the one with the longest
// prefix of its name. What is frozen otherwise stays frozen. Throws UsageError where a prefix is
// one of no parameter, and says which there are.
void scale_rates(const std::vector<RateGroup>& groups, ParameterStore& parameters);

}  // namespace saccade

// The learning rates of groups of parameters (optimizer.groups).
#pragma once

#include "core/nn/parameter_store.h"
#include "core/optim/rate_groups_config.h"

namespace saccade {

// Multiplies the rate of every parameter by the factor of its group, which is the group with the
// longest prefix of its name. Frozen parameters stay frozen. Throws UsageError where no parameter's
// name has a prefix; the message lists the prefixes that there are.
void scale_rates(const std::vector<RateGroup>& groups, ParameterStore& parameters);

}  // namespace saccade

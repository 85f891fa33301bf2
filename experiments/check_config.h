// Mistakes of a config that no single value shows.
#pragma once

#include <string>
#include <vector>

#include "core/config/experiment_config.h"

namespace saccade {

// Throws UsageError on values that are right alone and wrong together, before any data is read or
// any arm is trained. Places of files are left to what opens them: a command line may still give
// them.
void check_config(const ExperimentConfig& config);

// What a config sets to other values than the default and never reads, each with the reason. Arms
// of a comparison inherit such values from their base, so this is told and not refused.
std::vector<std::string> idle_values(const ExperimentConfig& config);

}  // namespace saccade

// Mistakes of a config that no single value shows.
#pragma once

#include "core/config/experiment_config.h"

namespace saccade {

// Throws UsageError on values that are right alone and wrong together, before any data is read or
// any arm is trained. Places of files are left to what opens them: a command line may still give
// them.
void check_config(const ExperimentConfig& config);

}  // namespace saccade

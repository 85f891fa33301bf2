// Mistakes of a config that no single value shows.
#pragma once

#include <string>
#include <vector>

#include "core/config/experiment_config.h"
#include "core/config/idle.h"

namespace saccade {

// Throws UsageError on values that are right alone and wrong together, before any data is read or
// any arm is trained. Places of files are left to what opens them: a command line may still give
// them.
void check_config(const ExperimentConfig& config);

// Throws UsageError, a line for each, on options that are set and never read.
void refuse_idle(const std::vector<IdleOption>& idle);

// Makes a config ready to be trained by itself. Options it inherited and does not read have their
// defaults again (core/config/idle.h); others that nothing reads are refused as above. In a config
// with arms, which may read them, and in that `of_a_run` that goes on, which an older version may
// have written, only those of the command line are refused; the others have their defaults again.
void settle_alone(LoadedConfig& loaded, bool of_a_run);

// Throws UsageError where `boxes`, the path that --boxes gives, is not empty and the data are
// scenes, which have boxes of their own.
void refuse_boxes_of_scenes(const std::string& boxes, const DataConfig& data);

}  // namespace saccade

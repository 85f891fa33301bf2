// The arms of a comparison: every combination of the values on its axes.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/config/experiment_config.h"

namespace saccade {

struct Arm {
  std::string name;    // "selection=hard, beam=3"; the experiment's name where there are no axes
  std::string folder;  // the same as a folder's name, unique among the arms
  std::vector<std::pair<std::string, std::string>> values;  // config path and value, an axis each
  ExperimentConfig config;
};

// The arms of config.compare.axes, the last axis varying fastest. Throws UsageError on an axis that
// is no config value, on a value that does not fit, and on two arms that are the same.
std::vector<Arm> expand_arms(const LoadedConfig& base);

}  // namespace saccade

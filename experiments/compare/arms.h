// The arms of a comparison: each named one in every combination of the values on its axes.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/config/experiment_config.h"
#include "core/config/idle.h"

namespace saccade {

struct Arm {
  std::string name;    // "gated, beam=3": its own name and its place on the axes; the experiment's
                       // name where there is neither
  std::string folder;  // the same as a folder's name, unique among the arms
  std::vector<std::pair<std::string, std::string>> values;  // config path and value, its own first
  ExperimentConfig config;
  std::vector<IdleOption> idle{};  // what it sets, or every arm has, and never reads
};

// The arms of config.compare, named ones in their order, of each the last axis varying fastest.
// What an arm has from the config and does not read has its default there, if another arm reads it.
// Throws UsageError on a path that is no config value or is set by a name and an axis, on a value
// that does not fit, on two arms that are the same, on a seed listed twice, and where
// compare.against names no arm.
std::vector<Arm> expand_arms(const LoadedConfig& base);

// Whether one config path is the other or a section around it.
bool overlapping_paths(const std::string& a, const std::string& b);

// check_config of every arm, and no idle options. Throws one UsageError, a line for each that is
// wrong, with its name where there are several.
void check_arms(const std::vector<Arm>& arms);

}  // namespace saccade

// The options that choose among the maps of layers and heads.
#pragma once

#include <string>

#include "captioning/model/maps/map_views.h"
#include "experiments/options/options.h"

namespace saccade {

struct ExperimentConfig;

struct MapArgs {
  // A number, all, mean, max or min; empty: the last layer, the mean of the heads.
  std::string layer{}, head{};
  bool rollout = false, class_token = false;
  double discard = 0;

  // Whether other maps than those of the default are drawn for the words.
  bool views() const { return !layer.empty() || !head.empty() || rollout; }
};

// Declares --layer, --head, --rollout, --discard and --class-token.
void add_map_options(Options& options, MapArgs& args);

// Throws UsageError, with the reason, for an unknown value and for an option that has no effect on
// this model.
MapRequest map_request(const MapArgs& args, const ExperimentConfig& config);
// Whether --rollout has an effect on such a model.
bool can_roll_out(const ExperimentConfig& config);

}  // namespace saccade

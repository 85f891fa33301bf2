// The options by which a person chooses among the maps of layers and heads.
#pragma once

#include <string>

#include "captioning/evaluation/map_views.h"
#include "core/config/experiment_config.h"
#include "experiments/options.h"

namespace saccade {

struct MapArgs {
  std::string layer{}, head{};  // a number, all, mean, max or min; empty: the last, the mean
  bool rollout = false, class_token = false;
  double discard = 0;

  // Whether the words' maps are others than what is drawn without options.
  bool views() const { return !layer.empty() || !head.empty() || rollout; }
};

// Declares --layer, --head, --rollout, --discard and --class-token.
void add_map_options(Options& options, MapArgs& args);

// Throws UsageError, with the reason, for what means nothing or has no effect on a model.
MapRequest map_request(const MapArgs& args, const ExperimentConfig& config);

}  // namespace saccade

// What some configs cost, said before the work begins: many drawn images, and attention among many
// regions.
#pragma once

#include <string>

#include "captioning/data/data_config.h"
#include "core/nn/grid_shape.h"

namespace saccade {

struct ExperimentConfig;

// "drawing 1000000 scenes takes about ..., set data.scenes.test lower"; empty for up to a hundred
// thousand images, and for data sets that are read.
std::string drawing_cost(const DataConfig& config);

// How many pairs of regions the refinement of a batch compares, and what lowers it; empty where
// that is little. `grid` is what is refined.
std::string refinement_cost(const ExperimentConfig& config, const GridShape& grid);

}  // namespace saccade

// Which parameters a model of a config has, without making their values.
#pragma once

#include <map>
#include <set>
#include <string>

#include "captioning/model/model.h"

namespace saccade {

// The names of the parameters that it has only to supervise its attention.
std::set<std::string> supervision_parameters(const ModelConfig& config, Vocabulary vocabulary,
                                             const GridShape& frozen_grid);

// Those that have a place for each word of its vocabulary, by their names, and the axis along which
// they have them.
std::map<std::string, int> word_axes(const ModelConfig& config, const GridShape& frozen_grid);

}  // namespace saccade

// The search of captions in the answers of the server.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace saccade {

struct ExperimentConfig;

// What a search is: {"mode", "beam" or "temperature" where the mode has it, "seed"}.
nlohmann::ordered_json search_json(const ExperimentConfig& config);
// The parameters and their ranges: {"mode": [names], "beam": [least, most], ...}.
nlohmann::ordered_json search_limits();

}  // namespace saccade

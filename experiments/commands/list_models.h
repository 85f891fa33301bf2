// What `saccade list models` shows: the models that are known by name.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace saccade {

std::string models_text();
// {"models": [...], "model_folders": [...]}: the models, and the folders that were searched.
nlohmann::ordered_json models_json();

}  // namespace saccade

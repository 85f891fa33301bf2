// What a checkpoint contains, in few lines or as JSON (`saccade inspect`).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "captioning/learning/runs/checkpoint_content.h"
#include "core/base/table.h"

namespace saccade {

// A row for each array of parameters.
Table table_of(const ParameterStore& store);
// A row for each part of the model, with the numbers of all of its arrays.
Table parts_of(const ParameterStore& store);
// The digest of the names, shapes and bits of all number arrays below a prefix of names.
std::string numbers_digest(const Archive& archive, const std::string& prefix);
// The values of a config that are read and are not the defaults, one on a line.
std::string chosen_values(const ExperimentConfig& config);
// The model that was loaded from the file `path`, with its state and digests; experiments/README.md
// has the keys.
nlohmann::ordered_json checkpoint_json(const std::string& path, const LoadedModel& loaded);

}  // namespace saccade

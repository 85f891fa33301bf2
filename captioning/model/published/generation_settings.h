// The search with which a published captioner is to be used.
#pragma once

#include <filesystem>
#include <vector>

#include "captioning/model/search/search_config.h"

namespace saccade {

class JsonFile;

// From generation_config.json of the folder; what it does not say, from `configs`, the first that
// does; else transformers' defaults. Throws DataError, which names file and key, for a setting that
// saccade's search does not have.
SearchConfig read_generation(const std::filesystem::path& folder,
                             const std::vector<JsonFile>& configs);

}  // namespace saccade

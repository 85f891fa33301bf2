// `saccade inspect --heads`: profiles of all heads as a table, as JSON and as pictures.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "captioning/inspection/head_profiles.h"

namespace saccade {

struct ExperimentConfig;

// The places of a model whose heads have no profiles, each with the reason: "refine: ...".
std::vector<std::string> heads_left_out(const CaptionModel& model, const ExperimentConfig& config);

// One line per head, and the names that the columns have.
std::string heads_table(const HeadProfiles& profiles);

// For each head {"name", "place", "layer", "head", "maps", "regions", "previous", "next", "first",
// "diagonal", "content", "entropy", "kind", "role", "closest": {"name", "correlation"}}; content
// and closest are null where they are not known.
nlohmann::ordered_json heads_json(const HeadProfiles& profiles);
// For each place with several heads {"place", "names": [N], "matrix": [N][N]}, null for heads whose
// maps are flat.
nlohmann::ordered_json correlations_json(const HeadProfiles& profiles);

// Writes heads.profiles, and heads.PLACE.correlation for each place with several heads, as PNG and,
// where they have at most 65,536 cells, as SVG. Returns the paths. Throws IoError.
std::vector<std::filesystem::path> write_head_pictures(const HeadProfiles& profiles,
                                                       const std::string& title,
                                                       const std::filesystem::path& folder);

}  // namespace saccade

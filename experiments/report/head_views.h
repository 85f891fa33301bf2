// The profiles of all heads as a table, as JSON and as pictures, for `saccade inspect --heads` and
// the section of a report.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "captioning/study/inspection/head_profiles.h"
#include "experiments/pictures/measure_pictures.h"

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

// What the shares of heads_json() are: [{"name", "text"}].
nlohmann::ordered_json head_columns_json();

// heads.profiles, and heads.PLACE.correlation for each place with several heads. The titles inside
// the pictures begin with the name of the model.
std::vector<MeasurePicture> head_pictures(const HeadProfiles& profiles, const std::string& model);

}  // namespace saccade

// The profiles of all heads as a table and as pictures, for `saccade inspect --heads` and
// the section of a report.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "captioning/study/inspection/head_profiles.h"
#include "core/base/table.h"
#include "experiments/pictures/measure_pictures.h"

namespace saccade {

struct ExperimentConfig;

// The places of a model whose heads have no profiles, each with the reason: "refine: ...".
std::vector<std::string> heads_left_out(const CaptionModel& model, const ExperimentConfig& config);

// A row for each head, with the shares of its weight. The head of the same place that is most alike
// is `closest`, with the `correlation` of their weights; nothing where there is no other.
Table table_of(const HeadProfiles& profiles);

// For each place with several heads {"place", "names": [N], "matrix": [N][N]}, null for heads whose
// maps are flat.
nlohmann::ordered_json correlations_json(const HeadProfiles& profiles);

// heads.profiles, and heads.PLACE.correlation for each place with several heads. The titles inside
// the pictures begin with the name of the model.
std::vector<MeasurePicture> head_pictures(const HeadProfiles& profiles, const std::string& model);

}  // namespace saccade

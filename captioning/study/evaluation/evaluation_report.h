// An evaluation as JSON, and as the file of results that other scorers read.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "captioning/study/evaluation/evaluate.h"

namespace saccade {

// experiments/README.md has its keys, which may become more and are never renamed.
std::string evaluation_json(const EvaluationReport& report);

// The "groups" of a regime.
nlohmann::ordered_json groups_json(const std::vector<ScoreGrouping>& groupings);

// The captions of one regime in the COCO results format: [{"image_id", "caption"}]. Where the files
// of the data set do not number their images, "image" beside them names each. `part` is one of
// EvaluationReport::parts, whose images are called as in the files of that set; null: all images.
std::string coco_results(const EvaluationReport& report, const RegimeReport& regime,
                         const DatasetPart* part = nullptr);

}  // namespace saccade

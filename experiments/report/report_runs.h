// What runs left on disk, for a report: learning curves, manifests, the comparison they belong to,
// and what differs between their configs.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "experiments/report/report_model.h"

namespace saccade {

// A run's metrics.jsonl as columns: {"model", "name", "updates": {"update": [..], "loss": [..],
// ...}, "validations": {"update": [..], "Bleu_4": [..], ...}}, null where a line lacks a number;
// nested numbers are named "estimator.entropy". Long runs are thinned. A file that is missing, and
// lines that are not whole, give nothing.
nlohmann::ordered_json curve_json(const ReportRun& run);

// [{"key", "values": [one a model]}] of every value that is not the same for all models.
nlohmann::ordered_json config_rows(const std::vector<ReportModel>& models);

// A JSON file as it is; null where there is none or it is none.
nlohmann::ordered_json json_file(const std::filesystem::path& path);

}  // namespace saccade

// Reads for a report what runs wrote to disk: learning curves, manifests and the comparison to
// which they belong; and finds how their configs differ.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "experiments/report/report_model.h"

namespace saccade {

// The metrics.jsonl of a run as columns: {"model", "name", "updates": {"update": [..],
// "loss": [..], ...}, "validations": {"update": [..], "Bleu_4": [..], ...}}, with null where a line
// lacks a number. Nested numbers are named like "estimator.entropy". Of long runs only some lines
// are kept. A missing file and incomplete lines add nothing.
nlohmann::ordered_json curve_json(const ReportRun& run);

// [{"key", "values": [one per model]}] for every config value that is not the same in all models.
nlohmann::ordered_json config_rows(const std::vector<ShownModel>& models);

// The content of a JSON file; null where the file does not exist or is not JSON.
nlohmann::ordered_json json_file(const std::filesystem::path& path);

}  // namespace saccade

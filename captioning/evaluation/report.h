// An evaluation as JSON, as a table, and as the result file that other scorers read.
#pragma once

#include <string>

#include "captioning/evaluation/evaluate.h"

namespace saccade {

// {"schema_version": 1, "dataset", "split", "n_images", "left_out", "search": {"mode", "beam",
// "max_length", "length_normalization", "temperature", "seed"}, "regimes": [{"name", "corpus":
// {"Bleu_1": ...}}]}. Keys are added with time and never renamed.
std::string report_json(const EvaluationReport& report);

// The scores as text, a column a regime.
std::string report_table(const EvaluationReport& report);

// The captions of one regime in the form of the COCO results format: [{"image_id", "caption"}].
std::string coco_results(const EvaluationReport& report, const RegimeReport& regime);

}  // namespace saccade

// A comparison as JSON, as a table for the terminal, and as Markdown.
#pragma once

#include <string>

#include "experiments/compare/comparison.h"

namespace saccade {

// {"schema_version": 1, "name", "dataset", "split", "n_images", "seeds", "complete", "arms":
// [{"name", "values": {path: value}, "parameters", "ms_per_update": {"mean", "std", "n"},
// "peak_memory_bytes": {...}, "regimes": [{"name", "corpus": {metric: {"mean", "std", "n"}}}],
// "seeds": [{"seed", "status": "ok" | "failed", "error", "directory", "checkpoint", "updates",
// "training_seconds", "ms_per_update", "captions_per_second", "peak_memory_bytes",
// "best_validation", "regimes": [{"name", "corpus"}]}]}]}. Keys are added with time, never renamed.
std::string comparison_json(const Comparison& comparison);

// A column an arm and regime, in blocks that fit into `columns` characters; a row a metric, then
// time per update, peak memory and parameters.
std::string comparison_table(const Comparison& comparison, std::size_t columns);

// A row an arm and regime.
std::string comparison_markdown(const Comparison& comparison);

}  // namespace saccade

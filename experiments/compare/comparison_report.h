// A comparison as JSON and as a table for the terminal.
#pragma once

#include <string>

#include "experiments/compare/judgement.h"

namespace saccade {

// {"schema_version": 1, "name", "dataset", "split", "n_images", "seeds", "complete", "against",
// "level", "verdict": [sentence], "arms": [{"name", "values": {path: value}, "parameters",
// "ms_per_update": {"mean", "std", "n"}, "captions_per_second", "peak_memory_bytes": {...},
// "trials": [{"values", "score", "error"}] of a tuned arm, "regimes": [{"name", "corpus": {metric:
// {"mean", "std", "n", and of what can be resampled "low", "high", "chance": "images" |
// "seeds_and_images", "difference": {"value", "low", "high", "chance", "p", "p_holm"}}}}], "seeds":
// [{"seed", "status": "ok" | "failed", "error", "directory", "checkpoint", "updates",
// "training_seconds", "ms_per_update", "captions_per_second", "peak_memory_bytes",
// "best_validation", "regimes": [{"name", "corpus"}]}]}]}. What has no value is null. Keys are
// added with time, never renamed.
std::string comparison_json(const Comparison& comparison, const Judgement& judgement);

// One column per arm and regime, in blocks that fit into `columns` characters, and one row per
// metric, then time per update, peak memory and parameters. Below the table are the differences to
// the reference arm and the verdict.
std::string comparison_table(const Comparison& comparison, const Judgement& judgement,
                             std::size_t columns);

}  // namespace saccade

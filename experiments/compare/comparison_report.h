// A comparison as JSON, and as a table for the terminal.
#pragma once

#include <string>

#include "experiments/compare/comparison_text.h"

namespace saccade {

// {"schema_version": 1, "name", "dataset", "split", "n_images", "seeds", "complete", "against",
// "level", "primary", "marks": [{"metrics", "reason"}], "verdict": [sentence], "arms": [{"name",
// "values": {path: value}, "parameters", "ms_per_update": {"mean", "std", "n"},
// "captions_per_second", "peak_memory_bytes":
// {...}, "trials": [{"values", "score", "error"}] of a tuned arm, "regimes": [{"name", "corpus":
// {metric:
// {"mean", "std", "n", and of what can be resampled "low", "high", "chance": "images" |
// "seeds_and_images", "difference": {"value", "low", "high", "chance", "p", "p_holm", "n",
// "n_against", "family", "tests", "detectable", "undefined", "margin", "p_outside"}}}}], "seeds":
// [{"seed", "status": "ok" | "failed", "error", "directory", "checkpoint", "updates",
// "training_seconds", "ms_per_update", "captions_per_second", "peak_memory_bytes",
// "best_validation", "regimes": [{"name", "corpus"}]}]}]}. A number without a value is null. Keys
// are added with time and never renamed.
std::string comparison_json(const Comparison& comparison, const Judgement& judgement);

struct TableOptions {
  std::size_t columns = 100;  // characters in a line
  Shown shown = Shown::kHeadline;
};

// A table with one column for each arm and regime, and one row for each metric that is shown, the
// cost among them. Where the arms are too many for a line, they are rows, and the metrics stand in
// blocks of columns. The differences to the reference arm and the verdict follow.
std::string comparison_table(const Comparison& comparison, const Judgement& judgement,
                             const TableOptions& options);

}  // namespace saccade

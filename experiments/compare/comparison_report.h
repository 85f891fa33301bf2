// A comparison as JSON, and as a table for the terminal.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "experiments/compare/comparison_text.h"

namespace saccade {

// experiments/README.md has the keys, of which none is ever renamed.
std::string comparison_json(const Comparison& comparison, const Judgement& judgement);

// {METRIC: {"mean", "std", "n", and of what is judged its interval and its difference}}.
nlohmann::ordered_json corpus_json(const Row& row, const Judgement& judgement);

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

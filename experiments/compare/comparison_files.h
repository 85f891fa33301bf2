// A comparison as files for papers and other programs: Markdown, LaTeX and CSV.
#pragma once

#include <string>

#include "experiments/compare/comparison_text.h"

namespace saccade {

// The headline metrics with their intervals, the verdict, and a table of means and cost, which has
// the headlines or all metrics.
std::string comparison_markdown(const Comparison& comparison, const Judgement& judgement,
                                Shown shown);

// The headline metrics by their labels as a tabular for the package booktabs, as mean and half the
// interval's width; the best mean of a column is bold where is_finding(). Scores and shares are
// times 100, and the narrowest interval of a column decides its decimals. The verdict stands as
// comments.
std::string comparison_latex(const Comparison& comparison, const Judgement& judgement);

// One line for each arm, regime and metric, of all metrics (experiments/README.md has the columns).
std::string comparison_csv(const Comparison& comparison, const Judgement& judgement);

}  // namespace saccade

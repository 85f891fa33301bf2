// A comparison as files that go into other programs: Markdown, LaTeX and CSV.
#pragma once

#include <string>

#include "experiments/compare/judgement.h"

namespace saccade {

// The headline metrics with their intervals, the verdict, and a table of everything.
std::string comparison_markdown(const Comparison& comparison, const Judgement& judgement);

// The headline metrics as a tabular for the package booktabs; the best mean of a column is bold.
std::string comparison_latex(const Comparison& comparison, const Judgement& judgement);

// A line an arm, regime and metric: arm, regime, metric, n, mean, sd, low, high, chance,
// difference, difference_low, difference_high, p, p_holm. What has no value is empty. Fields by RFC
// 4180.
std::string comparison_csv(const Comparison& comparison, const Judgement& judgement);

}  // namespace saccade

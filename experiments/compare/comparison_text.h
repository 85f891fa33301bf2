// The tables and sentences that the terminal and the files of a comparison share.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/base/table.h"
#include "experiments/compare/judgement.h"

namespace saccade {

// "soft-vs-hard: 500 test images of scenes; seeds 1, 2"; of files of captions "500 images of
// a.json".
std::string headline(const Comparison& comparison);

// How much of a comparison is shown: the headlines of the registry of metrics, or every metric.
enum class Shown { kHeadline, kAll };

// One row for each arm and regime: mean and standard deviation of each metric and cost that some
// row has, in the order of the registry, and where the maps of any row look dead (dead_signs.h) a
// column that says which. Labels of marked metrics end with " *".
Table means_table(const std::vector<Row>& rows, bool regimes, Shown shown = Shown::kAll,
                  std::span<const ScoreMark> marks = {});

// "hard (argmax)"; the name alone where there are no regimes.
std::string row_name(const JudgedRow& row, const Judgement& judgement);

// "p = 0.041", "p < 0.001".
std::string p_text(double p);

// "+0.0041", and without a sign where four decimals show no difference; "-" for NaN.
std::string signed_number(double value);

// The mean with its interval, as far as there are enough images for one.
Table::Cell interval_cell(const JudgedMetric& metric);
// "+0.0041 [-0.0060, 0.0142] p = 0.41", with the corrected p-value, or "+0.0041 (no test)" where
// there are too few images for one; "equal" where all images have the same score, and "both 0, no
// test" where both scores are too small to be shown; nothing for the reference.
Table::Cell difference_cell(const JudgedMetric& metric);

// One row for each arm and regime, with such a cell for each headline metric.
Table judged_table(const Judgement& judgement, Table::Cell (*cell)(const JudgedMetric&),
                   std::span<const ScoreMark> marks = {});

// Explains the brackets and the p-values.
std::string legend(const Judgement& judgement);

// One line for each seed that failed, and one for each tuned arm with its trials and their choice.
std::string failures(const Comparison& comparison, const char* bullet);
std::string tuned(const Comparison& comparison, const char* bullet);

}  // namespace saccade

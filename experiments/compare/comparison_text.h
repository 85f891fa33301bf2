// The parts of the text that the terminal table and the files of a comparison share.
#pragma once

#include <string>
#include <vector>

#include "experiments/compare/judgement.h"

namespace saccade {

// "soft-vs-hard: 500 test images of scenes; seeds 1, 2"; of files of captions "500 images of
// a.json".
std::string headline(const Comparison& comparison);

// How much of a comparison is shown: the headlines of the registry of metrics, or every metric.
enum class Shown { kHeadline, kAll };

// One line for each metric and cost that some row has, in the order of the registry, with a cell
// for every row; where the maps of any row look dead (dead_signs.h), also a line that says which.
struct Line {
  std::string label;               // of the metric, for people
  std::vector<std::string> cells;  // "0.5123 ±0.0041"; "-" where there is no value
};
std::vector<Line> lines_of(const std::vector<Row>& rows, Shown shown = Shown::kAll);

// "hard (argmax)"; the name alone where there are no regimes.
std::string row_name(const JudgedRow& row, const Judgement& judgement);

// "p = 0.041", "p < 0.001".
std::string p_text(double p);

// "+0.0041", and without a sign where four decimals show no difference; "-" for NaN.
std::string signed_number(double value);

// "0.5123 [0.5011, 0.5235]"; "0.5123" where there are too few images for an interval.
std::string interval_cell(const JudgedMetric& metric);
// "+0.0041 [-0.0060, 0.0142] p = 0.41", with the corrected p-value, or "+0.0041 (no test)" where
// there are too few images for one; "equal" where all images have the same score, and "both 0, no
// test" where both scores are too small to be shown; empty for the reference.
std::string difference_cell(const JudgedMetric& metric);

// Explains the brackets and the p-values.
std::string legend(const Judgement& judgement);

// One line for each seed that failed, and one for each tuned arm with its trials and their choice.
std::string failures(const Comparison& comparison, const char* bullet);
std::string tuned(const Comparison& comparison, const char* bullet);

}  // namespace saccade

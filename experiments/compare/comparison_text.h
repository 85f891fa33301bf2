// The parts of the text that the terminal table and the files of a comparison share.
#pragma once

#include <string>
#include <vector>

#include "experiments/compare/judgement.h"

namespace saccade {

// "soft-vs-hard: 500 test images of scenes; seeds 1, 2".
std::string headline(const Comparison& comparison);

// One line for each metric and cost, with a cell for every row of the comparison; where the maps of
// any row look dead (dead_signs.h), also a line that names these.
struct Line {
  std::string name;
  std::vector<std::string> cells;  // "0.5123 ±0.0041"; "-" where there is no value
};
std::vector<Line> lines_of(const std::vector<Row>& rows);

// "0.5123 [0.5011, 0.5235]".
std::string interval_cell(const JudgedMetric& metric);
// "+0.0041 [-0.0060, 0.0142] p=0.41", with the corrected p-value; empty for the reference.
std::string difference_cell(const JudgedMetric& metric);

// Explains the brackets and the p-values.
std::string legend(const Judgement& judgement);

// One line for each seed that failed, and one for each tuned arm with its trials and their choice.
std::string failures(const Comparison& comparison, const char* bullet);
std::string tuned(const Comparison& comparison, const char* bullet);

}  // namespace saccade

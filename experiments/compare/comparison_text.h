// What the texts about a comparison share.
#pragma once

#include <string>
#include <vector>

#include "experiments/compare/judgement.h"

namespace saccade {

// "soft-vs-hard: 500 test images of scenes; seeds 1, 2".
std::string headline(const Comparison& comparison);

// Every metric and cost, by name, of every row of the comparison; and which maps look dead
// (dead_signs.h), where any do.
struct Line {
  std::string name;
  std::vector<std::string> cells;  // "0.5123 ±0.0041", "-" where there is nothing
};
std::vector<Line> lines_of(const std::vector<Row>& rows);

// "0.5123 [0.5011, 0.5235]".
std::string interval_cell(const JudgedMetric& metric);
// "+0.0041 [-0.0060, 0.0142] p=0.41", the p-value the corrected one; "" for the reference.
std::string difference_cell(const JudgedMetric& metric);

// What the brackets are, in words.
std::string legend(const Judgement& judgement);

// A line for each seed that failed, and for what each tuned arm was given.
std::string failures(const Comparison& comparison, const char* bullet);
std::string tuned(const Comparison& comparison, const char* bullet);

}  // namespace saccade

// The attention of one step of search, as it is kept for the captions.
#pragma once

#include <span>
#include <vector>

#include "captioning/search/search.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// The attention that a DecodedWord holds, of R rows at once.
struct AttentionRecord {
  Index regions = 0;
  std::vector<float> weights;             // [R, L]
  std::vector<std::vector<float>> heads;  // [H] of [R, L]; empty for a single head
  std::vector<int> chosen;                // [R]; empty: all are expectations
  std::vector<std::vector<int>> choices;  // `chosen` of every glimpse; empty where a word has one
  std::vector<double> gates;              // [R], a vector gate's mean; empty without a gate
  std::vector<double> sentinels;          // [R]; empty without a sentinel

  // The attention of one row, without a word.
  DecodedWord of_row(Index row) const;
};

AttentionRecord record_of(const StepOutput& step);

// The mean of the weights over models that attend to the same regions, and of gates and sentinels
// where all models have them. Heads and choices are kept only for a single model. There must be at
// least one record.
AttentionRecord mean_record(std::vector<AttentionRecord> records);

}  // namespace SACCADE_NUMERIC
}  // namespace saccade

// Where the rows of a step looked, as search keeps it.
#pragma once

#include <span>
#include <vector>

#include "captioning/search/search.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// What a DecodedWord says of its look, of R rows at once.
struct Looks {
  Index regions = 0;
  std::vector<float> weights;             // [R, L]
  std::vector<std::vector<float>> heads;  // [H] of [R, L]; empty for a single head
  std::vector<int> chosen;                // [R]; empty: all are expectations
  std::vector<std::vector<int>> choices;  // the same of every look; empty where a word has one
  std::vector<double> gates;              // [R], a vector gate's mean; empty without a gate
  std::vector<double> sentinels;          // [R]; empty without a sentinel

  // Of one row; no word yet.
  DecodedWord of_row(Index row) const;
};

Looks looks_of(const StepOutput& step);

// Means over models that look at the same regions, of weights, and of gates and sentinels where all
// have one; heads and choices are a single model's. At least one.
Looks mean_looks(std::vector<Looks> each);

}  // namespace SACCADE_NUMERIC
}  // namespace saccade

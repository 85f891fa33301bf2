// What a search saw and said, step by step. Captions are read out backwards from where they ended,
// so nothing is copied while hypotheses part and meet.
#pragma once

#include <vector>

#include "captioning/search/search.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// How a row of the next step came about: a word said after a row of this step.
struct Said {
  Index row = 0;
  int word = 0;
  double log_prob = 0;  // of the word
};

class Trace {
 public:
  // Where each row of a step looked.
  void see(const StepOutput& step);
  // The rows of the next step, each with the word it says after a row of this one.
  void say(std::vector<Said> said) { steps_.back().said = std::move(said); }
  // Where a row of a step looked; no word yet.
  DecodedWord look(Index step, Index row) const;
  // The ids of the words said before `step` (0 is the first) on the way to its row.
  std::vector<int> said(Index step, Index row) const;
  // The same words with where each looked.
  std::vector<DecodedWord> words(Index step, Index row) const;

 private:
  struct Step {
    Index regions = 0;
    std::vector<float> weights;             // [R, L]
    std::vector<std::vector<float>> heads;  // [H] of [R, L]; empty for a single head
    std::vector<int> chosen;                // [R]; empty: all are expectations
    std::vector<std::vector<int>> choices;  // the same of every look; empty where a word has one
    std::vector<double> gates;              // [R], a vector gate's mean; empty without a gate
    std::vector<double> sentinels;          // [R]; empty without a sentinel
    std::vector<Said> said;
  };
  std::vector<Step> steps_;
};

}  // namespace SACCADE_NUMERIC
}  // namespace saccade

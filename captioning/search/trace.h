// What a search saw and said, step by step. Captions are read out backwards from where they ended,
// so nothing is copied while hypotheses part and meet.
#pragma once

#include <vector>

#include "captioning/search/looks.h"

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
  void see(Looks looks) { steps_.push_back({std::move(looks), {}}); }
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
    Looks looks;
    std::vector<Said> said;
  };
  std::vector<Step> steps_;
};

}  // namespace SACCADE_NUMERIC
}  // namespace saccade

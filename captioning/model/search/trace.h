// The history of a search, step by step. Captions are read out backwards from where they ended,
// along backpointers, so that nothing is copied while hypotheses branch.
#pragma once

#include <vector>

#include "captioning/model/maps/decoded_caption.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// Where a row of the next step comes from: the row of this step that it extends, and the word that
// it adds.
struct Backpointer {
  Index row = 0;
  int word = 0;
  double log_prob = 0;  // of the word
};

class Trace {
 public:
  // Begins a step with the attention of its rows.
  void add_step(std::vector<DecodedWord> attention) {
    steps_.push_back({std::move(attention), {}});
  }
  // Ends the step with the backpointers of the rows of the next one.
  void add_words(std::vector<Backpointer> backpointers) {
    steps_.back().backpointers = std::move(backpointers);
  }
  // The attention of a row of a step, without a word.
  const DecodedWord& attention(Index step, Index row) const;
  // The ids of the words before `step` (0 is the first), in the hypothesis of a row of that step.
  std::vector<int> prefix(Index step, Index row) const;
  // These words, with the attention of each.
  std::vector<DecodedWord> words(Index step, Index row) const;

 private:
  struct Step {
    std::vector<DecodedWord> attention;  // of each row, without a word
    std::vector<Backpointer> backpointers;
  };
  std::vector<Step> steps_;
};

}  // namespace SACCADE_NUMERIC
}  // namespace saccade

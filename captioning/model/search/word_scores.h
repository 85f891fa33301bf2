// The words that may follow each hypothesis, and how probable they are.
#pragma once

#include <vector>

#include "captioning/model/search/search.h"
#include "core/kernels/ranking.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// log p = logit - log sum exp over the whole vocabulary, as in training. Words that are not allowed
// keep their share of the distribution and are never chosen.
class WordScores {
 public:
  // Borrows logits [R, V] and sets those of words that are not allowed to -infinity. Throws
  // DivergedError when a row is no distribution, and ShapeError for special words outside V.
  WordScores(View logits, const SpecialWords& special,
             AllowedWords allowed_words = AllowedWords::kWords);

  // The `count` most probable words of a row, or all if there are fewer: the best first, and equal
  // ones by id. They are valid until the next call.
  const std::vector<kernels::Ranked>& best(Index row, Index count);
  double log_prob(Index row, int word) const;
  // Forbids a word in this row; it keeps its share of the distribution.
  void forbid(Index row, int word);
  // The words that a word is drawn from, and with which temperature.
  struct Draw {
    double temperature = 1;  // values below 1e-6 count as 1e-6
    Index top_k = 0;         // the most probable words only (Fan et al. 2018); 0: all
    double top_p = 1;        // the fewest most probable words with this share of what top_k left
                             // (nucleus; Holtzman et al. 2020)
  };
  // A word drawn from softmax(logits / temperature) with the number u of [0, 1); -1 if no word is
  // allowed.
  int draw(Index row, const Draw& from, double u);

 private:
  std::span<const Real> row(Index r) const {
    return {logits_.row(r), static_cast<std::size_t>(logits_.cols())};
  }
  void leave_most_probable(const Draw& from);
  View logits_;
  Tensor normalizers_;  // [R]
  std::vector<kernels::Ranked> best_, ranked_;
  std::vector<Real> probabilities_;
};

}  // namespace SACCADE_NUMERIC
}  // namespace saccade

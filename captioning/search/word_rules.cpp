#include "captioning/search/word_rules.h"

#include <algorithm>

#include "captioning/search/word_scores.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

namespace {

// Forbids what would make the last n words of `said` and it an n-gram of `said`.
void forbid_repetition(std::span<const int> said, std::size_t n, Index row, WordScores& scores) {
  if (said.size() < n) return;
  const std::span<const int> begun = said.last(n - 1);
  for (std::size_t i = 0; i + n <= said.size(); ++i)
    if (std::equal(begun.begin(), begun.end(), said.begin() + static_cast<std::ptrdiff_t>(i)))
      scores.forbid(row, said[i + n - 1]);
}

}  // namespace

void apply_rules(const WordRules& rules, const SpecialWords& special, std::span<const int> said,
                 Index row, WordScores& scores) {
  for (const int word : rules.forbidden) scores.forbid(row, word);
  if (rules.no_repeat_ngram > 0)
    forbid_repetition(said, static_cast<std::size_t>(rules.no_repeat_ngram), row, scores);
  if (static_cast<Index>(said.size()) < rules.min_length) scores.forbid(row, special.eos);
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade

#include "captioning/model/search/word_rules.h"

#include <algorithm>

#include "captioning/model/search/word_scores.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

namespace {

// Forbids the words that would complete an n-gram which `prefix` already contains.
void forbid_repetition(std::span<const int> prefix, std::size_t n, Index row, WordScores& scores) {
  if (prefix.size() < n) return;
  const std::span<const int> begun = prefix.last(n - 1);
  for (std::size_t i = 0; i + n <= prefix.size(); ++i)
    if (std::equal(begun.begin(), begun.end(), prefix.begin() + static_cast<std::ptrdiff_t>(i)))
      scores.forbid(row, prefix[i + n - 1]);
}

}  // namespace

void apply_rules(const WordRules& rules, const SpecialWords& special, std::span<const int> prefix,
                 Index row, WordScores& scores) {
  for (const int word : rules.forbidden) scores.forbid(row, word);
  if (rules.no_repeat_ngram > 0)
    forbid_repetition(prefix, static_cast<std::size_t>(rules.no_repeat_ngram), row, scores);
  if (static_cast<Index>(prefix.size()) < rules.min_length) scores.forbid(row, special.eos);
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade

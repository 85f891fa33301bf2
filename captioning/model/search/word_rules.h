// Which words may not follow in a caption, however probable they are.
#pragma once

#include <span>
#include <vector>

#include "captioning/model/search/search.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

class WordScores;

// Forbids in row `row` of the scores what the rules do not allow after the words of `prefix`: <eos>
// before min_length words, words that would repeat an n-gram of the prefix, and forbidden words. An
// image whose hypotheses have no word left ends unfinished.
void apply_rules(const WordRules& rules, const SpecialWords& special, std::span<const int> prefix,
                 Index row, WordScores& scores);

}  // namespace SACCADE_NUMERIC
}  // namespace saccade

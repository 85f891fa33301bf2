// What a caption may not say next, whatever the model thinks of it.
#pragma once

#include <span>
#include <vector>

#include "captioning/search/search.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

class WordScores;

// Takes from row `row` of the scores what the rules forbid after the words `said`: <eos> before
// min_length words, the last word of an n-gram that was said already, and forbidden words. An image
// whose hypotheses can say nothing more ends unfinished.
void apply_rules(const WordRules& rules, const SpecialWords& special, std::span<const int> said,
                 Index row, WordScores& scores);

}  // namespace SACCADE_NUMERIC
}  // namespace saccade

// Captions as people read them, where a model says pieces of words.
#pragma once

#include <string>

#include "captioning/search/search.h"
#include "captioning/text/vocabulary.h"

namespace saccade {

// Puts the pieces of a caption's words together, and of its alternatives: a word's log p is the sum
// over its pieces; attention, heads, gate and sentinel are the means, and it has a chosen region
// where all pieces chose that one. Where the words tell of later looks (DecodedCaption::map_step)
// a word has those of its last piece instead. `last` stays a piece.
void put_together(DecodedCaption& caption, const Vocabulary& vocabulary);

// Of alternatives that were put together, leaves the first of those that say the same: one word may
// be cut in several ways.
void drop_repeated(DecodedCaption& caption);

// How a word is spelled.
const std::string& word_text(const DecodedWord& word, const Vocabulary& vocabulary);

}  // namespace saccade

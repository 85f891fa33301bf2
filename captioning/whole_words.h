// Captions as people read them, where the vocabulary of a model is pieces of words.
#pragma once

#include <string>

#include "captioning/search/search.h"
#include "captioning/text/vocabulary.h"

namespace saccade {

// Puts the pieces of the words of a caption and its alternatives together. The log p of a word is
// the sum over its pieces; attention, heads, gate and sentinel are the means, and it has a chosen
// region where all pieces chose that one. Where the words have the maps of later steps
// (DecodedCaption::map_step), a word has those of its last piece instead. `last` stays a piece.
void put_together(DecodedCaption& caption, const Vocabulary& vocabulary);

// Leaves the first of those alternatives that have the same words once they were put together,
// because one word may be cut in several ways.
void drop_repeated(DecodedCaption& caption);

// The spelling of a word.
const std::string& word_text(const DecodedWord& word, const Vocabulary& vocabulary);

}  // namespace saccade

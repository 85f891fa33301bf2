// Captions as people read them, where the vocabulary of a model consists of pieces of words, or
// lacks words that they have.
#pragma once

#include "captioning/model/maps/decoded_caption.h"
#include "captioning/model/search/must.h"
#include "captioning/model/vocabulary/vocabulary.h"

namespace saccade {

// Puts the pieces of words together, in a caption and its alternatives. The log p of a word is the
// sum over its pieces, whose ids it keeps (with those before it that have no letters). Maps, with
// gates and sentinels, are means, and have a chosen cell where all pieces chose the same one.
// `last` stays a piece.
void put_together(DecodedCaption& caption, const Vocabulary& vocabulary);

// Gives new words (search/must.h) their texts, and as their piece the known word that is nearest.
void name_new_words(DecodedCaption& caption, const MustSay& must);

// Where alternatives have the same words after they were put together, leaves the first of them,
// because one word may be cut in several ways.
void drop_repeated(DecodedCaption& caption);

}  // namespace saccade

// The text of decoded captions.
#pragma once

#include <string>

#include "captioning/model/maps/decoded_caption.h"
#include "captioning/model/vocabulary/vocabulary.h"

namespace saccade {

// The spelling of a word.
const std::string& word_text(const DecodedWord& word, const Vocabulary& vocabulary);

// The words of a caption, with one space between them or, of published tokens, as they spell it.
std::string caption_text(const DecodedCaption& caption, const Vocabulary& vocabulary);

// "has no 'rug', which search.must asks for: ..." with a remedy; "" where the caption lacks
// nothing.
std::string unmet_note(const DecodedCaption& caption);

}  // namespace saccade

#include "captioning/model/maps/caption_text.h"

#include "captioning/scoring/words/tokenizer.h"
#include "core/base/error.h"
#include "core/base/listing.h"

namespace saccade {

const std::string& word_text(const DecodedWord& word, const Vocabulary& vocabulary) {
  return word.id < 0 ? word.text : vocabulary.word(word.id);
}

std::string caption_text(const DecodedCaption& caption, const Vocabulary& vocabulary) {
  if (vocabulary.published()) {
    std::vector<Index> ids;
    for (const DecodedWord& word : caption.words) {
      if (word.pieces.empty()) ids.push_back(word.id);
      ids.insert(ids.end(), word.pieces.begin(), word.pieces.end());
    }
    return vocabulary.text(ids);
  }
  std::vector<std::string> words;
  for (const DecodedWord& word : caption.words) words.push_back(word_text(word, vocabulary));
  return join_words(words);
}

std::string unmet_note(const DecodedCaption& caption) {
  if (caption.unmet.empty()) return "";
  const auto quoted = [](const std::string& text) { return "'" + text + "'"; };
  return str("the caption has no ", join(caption.unmet, " and no ", quoted),
             ", which search.must asks for: no caption has it that search.max_length and the other "
             "values of search allow; change them, or ask for less");
}

}  // namespace saccade

#include "captioning/model/decoding/said_words.h"

#include <algorithm>

#include "captioning/scoring/words/plain_caption.h"
#include "captioning/scoring/words/tokenizer.h"
#include "core/base/error.h"
#include "core/base/listing.h"

namespace saccade {

namespace {

bool has_unknown(const std::vector<Index>& ids) {
  return std::find(ids.begin(), ids.end(), Vocabulary::kUnk) != ids.end();
}

void add_unknown(SaidWords& said, const std::string& word) {
  if (std::find(said.unknown.begin(), said.unknown.end(), word) == said.unknown.end())
    said.unknown.push_back(word);
}

}  // namespace

SaidWords said_words(const std::string& text, const Vocabulary& vocabulary,
                     const std::string& model) {
  if (vocabulary.published()) {  // which have letters, marks and the rest of a text as it is
    const std::string plain = plain_caption(text).text;
    const std::vector<Index> ids = vocabulary.encode_text(plain);
    if (!vocabulary.text(ids).empty()) {
      SaidWords said{.ids = {ids.begin(), ids.end()}, .leaves_out = true};
      for (const std::string& word : split_words(plain))
        if (has_unknown(vocabulary.encode_text(word))) add_unknown(said, word);
      return said;
    }
  }
  const Words words = tokenize(plain_caption(text).text);
  if (words.empty())
    throw UsageError(str("'", text,
                         "': there is no word in it; give a caption such as "
                         "\"a dog runs on grass\""));
  SaidWords said;
  for (const std::string& word : words) {
    const std::vector<Index> ids = vocabulary.encode({&word, 1});
    if (has_unknown(ids)) add_unknown(said, word);
    for (const Index id : ids) said.ids.push_back(static_cast<int>(id));
  }
  if (std::all_of(said.ids.begin(), said.ids.end(), [](int id) { return id == Vocabulary::kUnk; }))
    throw UsageError(str("'", text, "': ", model,
                         " knows none of its words; say something in those of its training "
                         "captions"));
  return said;
}

std::string unknown_note(const SaidWords& said, const std::string& model) {
  if (said.unknown.empty()) return "";
  return str(model, " does not know ", first_names(said.unknown), "; it reads ",
             said.leaves_out
                 ? "the token of unknown words there, which no caption shows, nor its map"
                 : "<unk> there, and the map and the probability are those of <unk>");
}

}  // namespace saccade

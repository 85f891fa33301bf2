#include "captioning/scoring/metrics/meteor/word_table.h"

#include "captioning/scoring/metrics/meteor/function_words.h"
#include "core/base/unicode.h"

namespace saccade::meteor {

std::int32_t java_hash(std::string_view text) {
  std::uint32_t hash = 0;
  const auto add = [&](std::uint32_t unit) { hash = 31 * hash + unit; };
  for (const unicode::CodePoint point : unicode::decode(text)) {
    const auto code = static_cast<std::uint32_t>(point);
    if (code < 0x10000) {
      add(code);
    } else {  // Java's characters are UTF-16: a surrogate pair
      add(0xD800 + ((code - 0x10000) >> 10));
      add(0xDC00 + ((code - 0x10000) & 0x3FF));
    }
  }
  return static_cast<std::int32_t>(hash);
}

std::uint32_t WordTable::id(std::string_view word) {
  if (const auto found = ids_.find(word); found != ids_.end()) return found->second;
  Word entry;
  entry.hash = java_hash(word);
  entry.stem = java_hash(stemmer_.stem(word));
  entry.function = is_function_word(word);
  if (synonyms_ != nullptr) entry.synsets = synonyms_->synsets(word);
  if (paraphrases_ != nullptr) entry.phrase_word = paraphrases_->word(word);
  for (const std::uint32_t synset : entry.synsets) {
    entry.signature |= std::uint64_t{1} << ((synset * 0x9E3779B1U) >> 26);
  }
  const auto id = static_cast<std::uint32_t>(words_.size());
  words_.push_back(std::move(entry));
  ids_.emplace(spellings_.emplace_back(word), id);
  return id;
}

void WordTable::clear() {
  ids_.clear();
  spellings_.clear();
  words_.clear();
}

bool share_synset(const Word& a, const Word& b) {
  if ((a.signature & b.signature) == 0) return false;
  auto i = a.synsets.begin(), j = b.synsets.begin();
  while (i != a.synsets.end() && j != b.synsets.end()) {
    if (*i == *j) return true;
    *i < *j ? ++i : ++j;
  }
  return false;
}

}  // namespace saccade::meteor

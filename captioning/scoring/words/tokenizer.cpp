#include "captioning/scoring/words/tokenizer.h"

#include "core/base/unicode.h"

namespace saccade {

namespace {

// The runs of code points that `keep` accepts, each code point changed by `map`.
template <class Keep, class Map>
std::vector<std::string> runs(std::string_view text, Keep keep, Map map) {
  std::vector<std::string> out;
  std::string word;
  for (const unicode::CodePoint point : unicode::decode(text)) {
    if (keep(point)) {
      unicode::append(word, map(point));
    } else if (!word.empty()) {
      out.push_back(std::move(word));
      word.clear();
    }
  }
  if (!word.empty()) out.push_back(std::move(word));
  return out;
}

}  // namespace

std::vector<std::string> tokenize(std::string_view text) {
  return runs(unicode::compose(text), unicode::is_word_character, unicode::lower);
}

std::vector<std::string> split_words(std::string_view text) {
  return runs(
      text, [](unicode::CodePoint point) { return !unicode::is_space(point); },
      [](unicode::CodePoint point) { return point; });
}

std::string join_words(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) {
    if (!out.empty()) out += ' ';
    out += word;
  }
  return out;
}

}  // namespace saccade

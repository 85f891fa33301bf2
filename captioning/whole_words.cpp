#include "captioning/whole_words.h"

#include <algorithm>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace saccade {

namespace {

void add(std::vector<float>& sum, const std::vector<float>& other) {
  std::transform(sum.begin(), sum.end(), other.begin(), sum.begin(), std::plus<>());
}

// There is at least one piece.
DecodedWord word_of(std::span<const DecodedWord> pieces, const Vocabulary& vocabulary,
                    Index map_step) {
  std::vector<Index> ids;
  for (const DecodedWord& piece : pieces) ids.push_back(piece.id);
  // A map of a later step should have read the whole word, so it is that of the last piece.
  DecodedWord word = map_step > 0 ? pieces.back() : pieces[0];
  const std::vector<std::string> text = vocabulary.decode(ids);
  word.id = -1;
  word.text = text.empty() ? "" : text[0];
  word.log_prob = 0;
  for (const DecodedWord& piece : pieces) word.log_prob += piece.log_prob;
  if (map_step > 0) return word;
  for (const DecodedWord& piece : pieces.subspan(1)) {
    add(word.attention, piece.attention);
    for (std::size_t h = 0; h < word.heads.size(); ++h) add(word.heads[h], piece.heads[h]);
    word.gate += piece.gate;
    word.sentinel += piece.sentinel;
    if (piece.chosen != word.chosen) word.chosen = -1;
    if (piece.choices != word.choices) word.choices.clear();
  }
  const auto count = static_cast<double>(pieces.size());
  const auto divide = [&](std::vector<float>& sums) {
    for (float& x : sums) x /= static_cast<float>(count);
  };
  divide(word.attention);
  for (std::vector<float>& head : word.heads) divide(head);
  word.gate /= count;
  word.sentinel /= count;
  return word;
}

}  // namespace

void put_together(DecodedCaption& caption, const Vocabulary& vocabulary) {
  const std::span<const DecodedWord> pieces = caption.words;
  std::vector<DecodedWord> words;
  for (std::size_t begin = 0; begin < pieces.size();) {
    std::size_t end = begin + 1;
    while (end < pieces.size() && !vocabulary.begins_word(pieces[end].id)) ++end;
    DecodedWord word = word_of(pieces.subspan(begin, end - begin), vocabulary, caption.map_step);
    if (!word.text.empty()) words.push_back(std::move(word));
    begin = end;
  }
  caption.words = std::move(words);
  for (DecodedCaption& other : caption.others) put_together(other, vocabulary);
}

void drop_repeated(DecodedCaption& caption) {
  std::set<std::vector<std::string>> known;
  const auto is_new = [&](const DecodedCaption& one) {
    std::vector<std::string> words;
    for (const DecodedWord& word : one.words) words.push_back(word.text);
    return known.insert(std::move(words)).second;
  };
  is_new(caption);
  std::erase_if(caption.others, [&](const DecodedCaption& other) { return !is_new(other); });
}

const std::string& word_text(const DecodedWord& word, const Vocabulary& vocabulary) {
  return word.id < 0 ? word.text : vocabulary.word(word.id);
}

}  // namespace saccade

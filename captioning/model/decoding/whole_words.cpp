#include "captioning/model/decoding/whole_words.h"

#include <algorithm>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace saccade {

namespace {

// There is at least one piece.
DecodedWord word_of(std::span<const DecodedWord> pieces, const Vocabulary& vocabulary) {
  std::vector<Index> ids;
  for (const DecodedWord& piece : pieces) ids.push_back(piece.id);
  DecodedWord word = pieces[0];
  const std::vector<std::string> text = vocabulary.decode(ids);
  word.id = -1;
  word.text = text.empty() ? "" : text[0];
  word.log_prob = 0;
  word.self_attention.clear();  // they are of pieces
  word.pieces.assign(ids.begin(), ids.end());
  for (const DecodedWord& piece : pieces) word.log_prob += piece.log_prob;
  // The mean of the map that `of` finds in each piece.
  const auto mean_of = [&](auto of) {
    std::vector<const AttentionMap*> maps;
    for (const DecodedWord& piece : pieces) maps.push_back(&of(piece));
    return mean_map(maps);
  };
  word.map = mean_of([](const DecodedWord& piece) -> const AttentionMap& { return piece.map; });
  for (std::size_t p = 0; p < word.parts.size(); ++p)
    word.parts[p] =
        mean_of([p](const DecodedWord& piece) -> const AttentionMap& { return piece.parts.at(p); });
  for (const DecodedWord& piece : pieces)
    if (piece.choices != word.choices) word.choices.clear();
  return word;
}

}  // namespace

void put_together(DecodedCaption& caption, const Vocabulary& vocabulary) {
  const std::span<const DecodedWord> pieces = caption.words;
  std::vector<DecodedWord> words;
  std::vector<int>
      unread;  // pieces without a letter: they are no word, but the next one was read after them
  for (std::size_t begin = 0; begin < pieces.size();) {
    std::size_t end = begin + 1;
    while (end < pieces.size() && !vocabulary.begins_word(pieces[end].id)) ++end;
    DecodedWord word = word_of(pieces.subspan(begin, end - begin), vocabulary);
    word.pieces.insert(word.pieces.begin(), unread.begin(), unread.end());
    unread = word.text.empty() ? word.pieces : std::vector<int>();
    if (!word.text.empty()) words.push_back(std::move(word));
    begin = end;
  }
  caption.words = std::move(words);
  for (DecodedCaption& other : caption.others) put_together(other, vocabulary);
}

void name_new_words(DecodedCaption& caption, const MustSay& must) {
  for (DecodedWord& word : caption.words) {
    if (word.id < must.known_words) continue;
    const NewWord& own = must.new_words[static_cast<std::size_t>(word.id - must.known_words)];
    word.id = -1;
    word.text = own.text;
    word.pieces = {own.like.front().first};
  }
  for (DecodedCaption& other : caption.others) name_new_words(other, must);
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

}  // namespace saccade

// Vocabulary: words, or pieces of words, and their ids. The checkpoint holds it as a list of
// strings; a list of pieces determines how words are cut. Published tokens have a text of their own
// there (PublishedTokens::text).
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "captioning/model/vocabulary/published_tokens.h"
#include "captioning/model/vocabulary/subwords.h"

namespace saccade {

class Vocabulary {
 public:
  static constexpr Index kPad = 0, kBos = 1, kEos = 2, kUnk = 3;
  static constexpr Index kSpecials = 4;  // <pad> <bos> <eos> <unk> come first

  Vocabulary();  // the special words alone
  // Restores the vocabulary from a list of words(). Throws DataError unless it starts with the
  // special words, and every word appears once, is not empty and has no white space.
  explicit Vocabulary(std::vector<std::string> words);
  // The words that occur at least min_count times in tokenized captions, the most frequent first,
  // and equally frequent ones in byte order. Throws DataError when no word is left.
  static Vocabulary count(std::span<const std::vector<std::string>> captions, Index min_count);
  // Pieces of the words of tokenized captions, at most `size` of them (see subwords.h).
  static Vocabulary pieces(std::span<const std::vector<std::string>> captions, Index size);
  // Restores the pieces from a string of subwords()->model(). Throws DataError for any other
  // string.
  static Vocabulary from_pieces(std::string model);

  // The tokens of a published captioner. Those for padding, beginning, end and what is unknown
  // become the special words; a token that stands for several of them is its end, and the others
  // are words of their own that no caption has. All others follow in the order of their numbers.
  static Vocabulary published(PublishedTokens tokens);

  // The id of a published number.
  Index id_of_published(Index number) const {
    return ids_of_numbers_[static_cast<std::size_t>(number)];
  }

  // Cuts words into the pieces that have ids; null where whole words have ids, and for published
  // tokens.
  const Subwords* subwords() const { return subwords_.get(); }
  // The tokens of a published captioner; null in any other vocabulary.
  const PublishedTokens* published() const { return published_.get(); }
  // Whether words may be cut into several ids.
  bool has_pieces() const { return subwords_ != nullptr || published_ != nullptr; }
  // The published number of an id; -1 for a word of our own. Of published tokens alone.
  Index published_number(Index id) const { return numbers_[static_cast<std::size_t>(id)]; }

  Index size() const { return static_cast<Index>(words_.size()); }
  const std::vector<std::string>& words() const { return words_; }
  // The id of a word, or of a piece in the spelling of words(); kUnk for what is not in the
  // vocabulary.
  Index id(std::string_view word) const;
  // The word or piece of an id; throws InternalError outside [0, size).
  const std::string& word(Index id) const;
  // Whether this id begins a new word; otherwise it continues the last one.
  bool begins_word(Index id) const;

  // The ids of words, without <bos> and <eos>.
  std::vector<Index> encode(std::span<const std::string> words) const;
  // The ids of a text, which published tokens read as it is; otherwise of its words (tokenize()).
  std::vector<Index> encode_text(std::string_view text) const;
  // The words up to the first <eos>, without <pad> and <bos>, and with pieces put together.
  std::vector<std::string> decode(std::span<const Index> ids) const;
  // The same as one text: with a space between words or, of published tokens, as they spell it.
  std::string text(std::span<const Index> ids) const;

  // Of all words in order: vocabularies with equal digests give equal ids.
  std::string digest() const;

 private:
  std::vector<std::string> words_;
  std::shared_ptr<const Subwords> subwords_;
  std::shared_ptr<const PublishedTokens> published_;
  std::vector<Index> numbers_, ids_of_numbers_;  // of published tokens, by id, and the reverse
  std::unordered_map<std::string, Index> ids_;
};

}  // namespace saccade

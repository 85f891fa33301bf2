// Vocabulary: words, or pieces of words, and their ids. The checkpoint holds it as a list of
// strings; a list of pieces determines how words are cut.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

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

  // Cuts words into the pieces that have ids; null where whole words have ids.
  const Subwords* subwords() const { return subwords_.get(); }

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
  // The words up to the first <eos>, without <pad> and <bos>, and with pieces put together.
  std::vector<std::string> decode(std::span<const Index> ids) const;

  // Of all words in order: vocabularies with equal digests give equal ids.
  std::string digest() const;

 private:
  std::vector<std::string> words_;
  std::shared_ptr<const Subwords> subwords_;
  std::unordered_map<std::string, Index> ids_;
};

}  // namespace saccade

// Vocabulary: words, or pieces of words, and their ids. It lives inside the checkpoint as a list of
// strings; a list of pieces says how words are cut.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "captioning/text/subwords.h"

namespace saccade {

class Vocabulary {
 public:
  static constexpr Index kPad = 0, kBos = 1, kEos = 2, kUnk = 3;
  static constexpr Index kSpecials = 4;  // <pad> <bos> <eos> <unk> come first

  Vocabulary();  // the special words alone
  // From a list that words() gave. Throws DataError unless it starts with the special words and
  // every word is there once, not empty, and free of white space.
  explicit Vocabulary(std::vector<std::string> words);
  // The words that occur at least min_count times in tokenized captions, the most frequent first,
  // equally frequent ones in byte order. Throws DataError when no word is left.
  static Vocabulary count(std::span<const std::vector<std::string>> captions, Index min_count);
  // Pieces of the words of tokenized captions, `size` of them at most (subwords.h says which).
  static Vocabulary pieces(std::span<const std::vector<std::string>> captions, Index size);
  // From what subwords()->model() gave. Throws DataError where it is nothing of the kind.
  static Vocabulary from_pieces(std::string model);

  // What cuts words into the pieces that have ids; none where whole words have them.
  const Subwords* subwords() const { return subwords_.get(); }

  Index size() const { return static_cast<Index>(words_.size()); }
  const std::vector<std::string>& words() const { return words_; }
  // The id of a word, or of a piece as words() spells it; kUnk for what is not in the vocabulary.
  Index id(std::string_view word) const;
  // The word or piece of an id; throws InternalError outside [0, size).
  const std::string& word(Index id) const;
  // Whether a new word begins with this id rather than that it goes on with the last one.
  bool begins_word(Index id) const;

  // The ids of words, without <bos> and <eos>.
  std::vector<Index> encode(std::span<const std::string> words) const;
  // The words up to the first <eos>, <pad> and <bos> left out, pieces put together.
  std::vector<std::string> decode(std::span<const Index> ids) const;

  // Of all words in order: two vocabularies with equal digests give equal ids.
  std::string digest() const;

 private:
  std::vector<std::string> words_;
  std::shared_ptr<const Subwords> subwords_;
  std::unordered_map<std::string, Index> ids_;
};

}  // namespace saccade

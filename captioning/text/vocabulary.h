// Vocabulary: words and their ids. It lives inside the checkpoint as a list of strings.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/base/real.h"

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

  Index size() const { return static_cast<Index>(words_.size()); }
  const std::vector<std::string>& words() const { return words_; }
  // The id of a word; kUnk for one that is not in the vocabulary.
  Index id(std::string_view word) const;
  // The word of an id; throws InternalError outside [0, size).
  const std::string& word(Index id) const;

  // The ids of words, without <bos> and <eos>.
  std::vector<Index> encode(std::span<const std::string> words) const;
  // The words up to the first <eos>, <pad> and <bos> left out.
  std::vector<std::string> decode(std::span<const Index> ids) const;

  // Of all words in order: two vocabularies with equal digests give equal ids.
  std::string digest() const;

 private:
  std::vector<std::string> words_;
  std::unordered_map<std::string, Index> ids_;
};

}  // namespace saccade

// Every distinct word so far, with all that matching needs to know of it. Captions repeat their
// words, so stems and synsets are looked up only once. One thread at a time.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "captioning/scoring/metrics/meteor/paraphrases.h"
#include "captioning/scoring/metrics/meteor/stemmer.h"
#include "captioning/scoring/metrics/meteor/synonyms.h"

namespace saccade::meteor {

// Java's String.hashCode of a UTF-8 text. METEOR compares words and stems by nothing else, except
// in paraphrases.
std::int32_t java_hash(std::string_view text);

struct Word {
  std::int32_t hash = 0;                // of the word
  std::int32_t stem = 0;                // hash of its stem
  bool function = false;                // a function word
  std::uint32_t phrase_word = kNoWord;  // its number in the table of paraphrases
  std::uint64_t signature = 0;          // one bit per synset: words without a common bit share none
  std::vector<std::uint32_t> synsets;   // sorted offsets, also those of its base forms
};

class WordTable {
 public:
  // Both must outlive the table; without them words have no synsets, and no number among the words
  // of paraphrases.
  explicit WordTable(const Synonyms* synonyms, const Paraphrases* paraphrases = nullptr)
      : synonyms_(synonyms), paraphrases_(paraphrases) {}

  // The number of a lower-case word; equal words have equal numbers.
  std::uint32_t id(std::string_view word);
  const Word& operator[](std::uint32_t id) const { return words_[id]; }
  std::size_t size() const { return words_.size(); }
  void clear();

 private:
  const Synonyms* synonyms_;
  const Paraphrases* paraphrases_;
  Stemmer stemmer_;
  std::deque<std::string> spellings_;  // keys of ids_: a deque leaves them in place
  std::unordered_map<std::string_view, std::uint32_t> ids_;
  std::vector<Word> words_;
};

bool share_synset(const Word& a, const Word& b);

}  // namespace saccade::meteor

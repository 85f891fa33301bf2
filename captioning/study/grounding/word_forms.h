// Whether two words name the same thing: by stem, or by WordNet's synonyms.
#pragma once

#include <mutex>
#include <string>
#include <string_view>

#include "captioning/scoring/metrics/meteor/stemmer.h"
#include "captioning/scoring/metrics/meteor/synonyms.h"
#include "captioning/scoring/metrics/meteor/word_table.h"

namespace saccade {

// Many threads may use it at once.
class WordForms {
 public:
  WordForms() : table_(&synonyms_) {}

  // What all forms of a noun have in common: the stem (Porter's second stemmer). What ends in -ing
  // or -ed is a verb's form and stands for itself: who is skiing names no skis.
  std::string form(std::string_view word) const;
  // Most of the word's WordNet senses are also senses of the name ("sofa" is a "couch", "mice" are
  // a "mouse"). One common sense would not do: the table does not know nouns from verbs, and
  // "stand", "hold" and "have" share one with "bear".
  bool synonym(std::string_view word, std::string_view name) const;

 private:
  meteor::Synonyms synonyms_;
  meteor::Stemmer stemmer_;
  mutable std::mutex mutex_;  // of the stemmer, and of the table, which grows with use
  mutable meteor::WordTable table_;
};

}  // namespace saccade

// From words to constraints: what a person asks for, as ids of a vocabulary.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "captioning/model/search/must.h"
#include "captioning/model/vocabulary/vocabulary.h"

namespace saccade {

// The constraints of "cat, rug" or "cat|kitten, traffic light": parts between commas, without white
// space around them. Throws UsageError, which names `option`, where one is empty.
std::vector<std::string> must_list(const std::string& text, const std::string& option);

// Reads constraints with one vocabulary: words or phrases, and `|` between alternatives. A word
// becomes the ids that captions have for it.
class ConstraintReader {
 public:
  // `source` is what messages name, such as search.must. The vocabulary must outlive it. The ids of
  // new words follow those that a search has already.
  ConstraintReader(const Vocabulary& vocabulary, std::string source,
                   std::span<const NewWord> new_words = {});

  // Throws UsageError where there is no word, or more words than a caption of max_length has.
  LexicalConstraint read(const std::string& text, Index max_length);
  // Gives the words that the vocabulary lacks to `must`. Each is like the known words whose vectors
  // in the file are nearest to its own by their cosine, kLike of them, in equal shares. Without a
  // file (""), it is like what the table of nouns says (like_known() in name_objects.h).
  // Throws UsageError, which names the remedy, where neither knows the word; what
  // read_word_vectors() throws.
  void add_unknown(MustSay& must, const std::filesystem::path& vectors) const;

  static constexpr std::size_t kLike = 3;

 private:
  std::vector<int> ids_of(const std::string& phrase);
  [[noreturn]] void refuse_unknown(const std::string& word) const;

  const Vocabulary& vocabulary_;
  std::string source_;
  std::vector<std::string> new_words_;  // in the order of their ids
};

// A new word. Of English, its first letters tell which article never stands before it: no "a"
// before "owl", and no "an" before "unicycle".
NewWord new_word(const std::string& text, std::vector<std::pair<int, double>> like,
                 const Vocabulary& vocabulary);

// Which ids begin a word or stand for none of its letters, so that a phrase before them is
// complete; null where every id is a word.
std::shared_ptr<const std::vector<char>> word_beginnings(const Vocabulary& vocabulary);

// Throws UsageError, which names `source`, where one caption has too many constraints, or they are
// longer together than max_length, or what is forbidden is in all phrases of one.
void check_constraints(std::span<const LexicalConstraint> constraints, Index max_length,
                       std::span<const int> forbidden, const std::string& source);

struct SearchConfig;

// Adds to a search what a JSON file asks of single images: an object from their names, which are
// ids of a data set, to lists of constraints, as {"cat.jpg": ["cat|kitten", "rug"]}. Throws
// UsageError and DataError that name the file and the image.
void add_must_of_images(MustSay& must, const std::filesystem::path& file,
                        std::span<const std::string> ids, const Vocabulary& vocabulary,
                        const SearchConfig& search);

}  // namespace saccade

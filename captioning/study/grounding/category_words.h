// What people call the things for which detection data sets have categories: "puppies" are dogs and
// "a man" is a person, but neither a teddy bear nor a hot dog is an animal.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "captioning/study/grounding/word_forms.h"

namespace saccade {

class CategoryWords {
 public:
  // The categories, by their names. Those of COCO have further names (coco_names.h).
  explicit CategoryWords(const std::vector<std::string>& categories);

  struct Mention {
    std::size_t word = 0;                 // its place in the caption; of several words the last
    std::vector<std::size_t> categories;  // those that the name may mean, at least one
  };
  // The names in a caption, in order: the longest that begins at a word wins. Names are matched
  // word by word, by their forms (WordForms), and where nothing fits by WordNet's synonyms.
  std::vector<Mention> mentions(std::span<const std::string> words) const;

 private:
  using Categories = std::vector<std::size_t>;
  void add(const std::string& name, std::optional<std::size_t> category);
  std::string key(std::span<const std::string> words) const;

  WordForms forms_;
  std::unordered_map<std::string, Categories>
      names_;                              // by form; empty: the name means none of them
  std::size_t longest_ = 0;                // words of a name
  std::vector<std::string> single_words_;  // by category; empty where its name has several
};

}  // namespace saccade

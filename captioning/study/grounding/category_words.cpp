#include "captioning/study/grounding/category_words.h"

#include <algorithm>

#include "captioning/scoring/words/tokenizer.h"
#include "captioning/study/grounding/coco_names.h"

namespace saccade {

CategoryWords::CategoryWords(const std::vector<std::string>& categories) {
  for (std::size_t c = 0; c < categories.size(); ++c) {
    add(categories[c], c);
    const std::vector<std::string> words = tokenize(categories[c]);
    single_words_.push_back(words.size() == 1 ? words[0] : "");
    for (const std::string& name : coco_names(categories[c])) add(name, c);
  }
  for (const std::string& name : names_of_no_category()) add(name, {});
}

std::string CategoryWords::key(std::span<const std::string> words) const {
  std::string key;
  for (const std::string& word : words) key += forms_.form(word) + " ";
  return key;
}

void CategoryWords::add(const std::string& name, std::optional<std::size_t> category) {
  const std::vector<std::string> words = tokenize(name);
  if (words.empty()) return;
  longest_ = std::max(longest_, words.size());
  Categories& categories = names_[key(words)];
  if (category && std::find(categories.begin(), categories.end(), *category) == categories.end())
    categories.push_back(*category);
}

std::vector<CategoryWords::Mention> CategoryWords::mentions(
    std::span<const std::string> words) const {
  std::vector<Mention> out;
  for (std::size_t at = 0; at < words.size();) {
    Mention mention{.word = at, .categories = {}};
    auto name = names_.end();
    for (std::size_t n = std::min(longest_, words.size() - at); n > 0 && name == names_.end();
         --n) {
      name = names_.find(key(words.subspan(at, n)));
      mention.word = at + n - 1;
    }
    if (name != names_.end()) {
      mention.categories = name->second;
    } else {
      for (std::size_t c = 0; c < single_words_.size(); ++c)
        if (!single_words_[c].empty() && forms_.synonym(words[at], single_words_[c]))
          mention.categories.push_back(c);
    }
    at = mention.word + 1;
    if (!mention.categories.empty()) out.push_back(std::move(mention));
  }
  return out;
}

}  // namespace saccade

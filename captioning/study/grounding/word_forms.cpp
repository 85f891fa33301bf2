#include "captioning/study/grounding/word_forms.h"

#include <algorithm>
#include <array>

namespace saccade {

namespace {

bool ends_like_a_verb(std::string_view word) {
  constexpr std::array<std::string_view, 2> kEndings = {"ing", "ed"};
  return std::any_of(kEndings.begin(), kEndings.end(),
                     [&](std::string_view ending) { return word.ends_with(ending); });
}

// Such words, and those for who does something ("skater"), which WordNet's rules take for a
// comparative.
bool ends_like_no_thing(std::string_view word) {
  return ends_like_a_verb(word) || word.ends_with("er") || word.ends_with("ers");
}

}  // namespace

std::string WordForms::form(std::string_view word) const {
  if (ends_like_a_verb(word)) return std::string(word);
  const std::lock_guard lock(mutex_);
  return std::string(stemmer_.stem(word));
}

bool WordForms::synonym(std::string_view word, std::string_view name) const {
  if (ends_like_no_thing(word)) return false;
  const std::lock_guard lock(mutex_);
  const std::uint32_t a = table_.id(word), b = table_.id(name);
  const std::vector<std::uint32_t>&senses = table_[a].synsets, &named = table_[b].synsets;
  const auto common = std::count_if(senses.begin(), senses.end(), [&](std::uint32_t sense) {
    return std::binary_search(named.begin(), named.end(), sense);
  });
  return 2 * static_cast<std::size_t>(common) > senses.size();
}

}  // namespace saccade

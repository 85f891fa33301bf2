// WordNet as METEOR uses it: the synsets of a word and of its base forms. Two words are synonyms
// when they share a synset offset, whatever the part of speech. The table is the text that
// wordnet/make_table.sh describes; a look-up is a binary search over its bytes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace saccade::meteor {

class Synonyms {
 public:
  Synonyms();  // the built-in table
  // A table that make_table.sh wrote. Throws DataError when it cannot be read or is not sorted.
  explicit Synonyms(const std::filesystem::path& path);

  // The synset offsets of a lower-case word and of its base forms, sorted, each once.
  std::vector<std::uint32_t> synsets(std::string_view word) const;

  // Names the table, with the digest of its text, for reports.
  const std::string& name() const { return name_; }

 private:
  Synonyms(std::string text, std::string name);
  std::string_view entry(std::string_view word) const;
  std::string_view morphed(std::string_view word, std::string& base) const;

  std::string text_;  // lines "WORD OFFSET... =BASE...", in byte order
  std::string name_;
};

}  // namespace saccade::meteor

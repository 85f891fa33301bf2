// METEOR's paraphrase table: pairs of phrases, found in both directions. The published one
// (paraphrase-en.gz of METEOR 1.5) is not part of the project; its user names the file.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

namespace saccade::meteor {

class Paraphrases {
 public:
  // Reads gzip: lines in groups of three, probability / phrase / paraphrase, with words joined by
  // one space. Keeps 4 bytes per word of the distinct phrases and 4 per pair, and twice the pairs
  // while reading. Where there are `words` (of java_hash), pairs with other words are left out: of
  // texts of these words, they match nothing. Throws DataError with file and line when the file is
  // broken.
  explicit Paraphrases(const std::string& path, const std::unordered_set<std::int32_t>& words = {});

  // The number of a phrase, whose words are given by java_hash; nothing when the table does not
  // hold it.
  std::optional<std::uint32_t> find(std::span<const std::int32_t> words) const;
  // The numbers of a phrase's paraphrases, in the order of the file.
  std::span<const std::uint32_t> of(std::uint32_t phrase) const;
  // Words of the longest phrase.
  std::size_t longest() const { return longest_; }

  // Names the table, with the digest of its phrases, for reports.
  const std::string& name() const { return name_; }

 private:
  std::size_t slot(std::span<const std::int32_t> words) const;
  std::span<const std::int32_t> words_of(std::uint32_t phrase) const;
  std::uint32_t insert(std::span<const std::int32_t> words);
  void grow();

  std::vector<std::int32_t> words_;     // of all phrases, one after the other
  std::vector<std::uint64_t> begins_;   // of phrase i in words_; one more for the end
  std::vector<std::uint32_t> slots_;    // hash table: a phrase's number + 1, or 0
  std::vector<std::uint32_t> targets_;  // paraphrases of all phrases, one after the other
  std::vector<std::uint64_t> offsets_;  // of phrase i in targets_; one more for the end
  std::size_t longest_ = 0;
  std::string name_;
};

}  // namespace saccade::meteor

// METEOR's paraphrase table: pairs of phrases, found in both directions. The published one
// (paraphrase-en.gz of METEOR 1.5) is not part of the project; its user names the file. Reading it
// takes seconds, so an index of it is kept in a folder and mapped into memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/base/messages.h"

namespace saccade::meteor {

// A word that no phrase of the table has.
constexpr std::uint32_t kNoWord = std::numeric_limits<std::uint32_t>::max();

class Paraphrases {
 public:
  // Opens a table: gzip or text, lines in groups of three, probability / phrase / paraphrase, with
  // words joined by one space. Takes its index from the folder `cache`, or reads the table and puts
  // the index there; the listener is told. An index that is damaged, or of another table, is
  // replaced. Where the folder is "" or cannot be written, the index stays in memory (44 MB for the
  // published table). All who open the same table share it; threads may call it at once. Throws
  // DataError with file and line when the table is broken.
  static std::shared_ptr<const Paraphrases> open(const std::filesystem::path& table,
                                                 const std::filesystem::path& cache = {},
                                                 const MessageListener& listener = {});
  ~Paraphrases();
  Paraphrases(const Paraphrases&) = delete;
  Paraphrases& operator=(const Paraphrases&) = delete;

  // The number of a word, by its text; kNoWord where no phrase has it.
  std::uint32_t word(std::string_view text) const;
  // The number of a phrase; nothing when the table does not hold it.
  std::optional<std::uint32_t> find(std::span<const std::uint32_t> words) const;
  // The numbers of a phrase's paraphrases, in the order of the file.
  std::span<const std::uint32_t> of(std::uint32_t phrase) const;
  // Words of the longest phrase.
  std::size_t longest() const;

  // The digest of the table's phrases, whatever its file is called.
  const std::string& digest() const { return digest_; }

 private:
  struct Parts;
  explicit Paraphrases(std::unique_ptr<Parts> parts);

  std::unique_ptr<Parts> parts_;
  std::string digest_;
};

}  // namespace saccade::meteor

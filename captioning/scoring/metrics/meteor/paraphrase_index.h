// The index of a paraphrase table: one block of bytes that a file can hold and that is used where
// it lies. Numbers have the byte order of the machine. Private to the METEOR folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace saccade::meteor {

// Parts of an index. Words are numbered in byte order of their texts, phrases by their length and
// then by their words.
struct ParaphraseIndex {
  std::string digest;                        // of the phrases of the table, in its order
  std::span<const std::uint32_t> text_ends;  // [words]: in texts
  std::span<const char> texts;               // of all words, one after the other
  std::span<const std::uint32_t> lengths;    // [longest + 2]: the first phrase of each length
  std::span<const std::uint16_t> narrow;     // the words of all phrases, where 16 bits hold them,
  std::span<const std::uint32_t> wide;       // or else here
  std::span<const std::uint32_t> sources;    // the phrases that have paraphrases
  std::span<const std::uint32_t> begins;     // [sources + 1]: in targets
  std::span<const std::uint32_t> targets;    // paraphrases of all sources
};

// Reads a table (paraphrases.h). `key` tells it from other tables. Throws DataError with file and
// line where it is broken.
std::vector<std::byte> make_paraphrase_index(const std::filesystem::path& table,
                                             const std::string& key);

// The parts of an index; nothing where the bytes are not one, of this key, as it was made.
// `bytes` must be aligned to 8. Calls `checked` for one part after the other when it was compared
// with its checksum, if it is not null.
std::optional<ParaphraseIndex> read_paraphrase_index(
    std::span<const std::byte> bytes, const std::string& key,
    void (*checked)(std::span<const std::byte>) = nullptr);

}  // namespace saccade::meteor

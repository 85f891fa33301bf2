// The places of an archive's entries in the HDF5 file that holds them, as a JSON text behind that
// file. Loading uses this index only, because HDF5's own reader is not safe against forged files.
// Private to core/io and its tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/io/archive.h"

namespace saccade {

// The bytes of one entry.
struct EntryPlace {
  std::string name;
  std::string type;  // f32, f16, f64, i64, u64, text, texts
  std::vector<Index> shape;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  bool packed = false;  // of f16: HDF5's filters shuffle and deflate were applied
};

// Packed numbers need at least one byte for so many of them, so that a small file cannot claim much
// memory.
inline constexpr std::size_t kMostPackedPerByte = 8;

std::string index_text(const std::vector<EntryPlace>& places);

using EntryVisitor = std::function<void(const std::string&, Archive::Entry)>;

// Reads the entries of an image by its index, in the order of the index. Every size is checked
// before memory is allocated for it. Where `memory` is what holds the image, arrays of 32 and 64
// bits share it instead of being copied. Throws CheckpointError, which starts with `source`.
void visit_entries(std::span<const std::byte> image, std::string_view index,
                   const std::string& source, const EntryVisitor& visitor,
                   const std::shared_ptr<const void>& memory = nullptr);

}  // namespace saccade

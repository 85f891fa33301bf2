// The HDF5 file of a row store: HDF5 lays it out and finds its parts; rows are then read and
// written at their places in the file, without HDF5's lock. Private to core/io.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/io/atomic_file.h"
#include "core/io/row_store.h"

namespace saccade {

struct RowFile {
  std::filesystem::path path;
  FileHandle handle;
  RowFormat format;
  std::vector<std::string> ids;
  std::vector<std::uint64_t> offsets;  // of each row's bytes
  std::uint64_t digests_offset = 0;    // of n digests of 64 bits; 0 = row not written yet
  std::vector<std::uint64_t> digests;

  std::size_t row_bytes() const;
};

// In place of a digest: there is no row of this id, and there will be none.
inline constexpr std::uint64_t kLeftOut = ~std::uint64_t{0};

// Digest of the bytes of a row; depends on the row, so that rows cannot change places. Never 0 and
// never kLeftOut.
std::uint64_t row_digest(std::size_t row, std::span<const std::byte> bytes);

// Bytes of the file that `file.handle` has open. Throws IoError.
std::uint64_t file_size(const RowFile& file);

// Lays out path, format and ids without rows, over whatever the open file holds. Throws IoError.
void create_row_file(RowFile& file);

// Fills in the parts of the file that `file.handle` has open; false when it is damaged or foreign.
// Throws IoError.
bool find_parts(RowFile& file);

// Reads the bytes of a row; whether they have their digest. Throws IoError.
bool read_row(const RowFile& file, std::size_t row, std::span<std::byte> bytes);

}  // namespace saccade

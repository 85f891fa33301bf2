// The HDF5 file of a row store: HDF5 lays it out and finds its parts. Rows are then read and
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
  std::vector<std::uint64_t> offsets;  // the place of each row's bytes
  // The place of n digests of 64 bits; a digest of 0 means that the row is not written yet.
  std::uint64_t digests_offset = 0;
  std::vector<std::uint64_t> digests;

  std::size_t row_bytes() const;
};

// Stands in place of a digest: this id has no row and will not get one.
inline constexpr std::uint64_t kLeftOut = ~std::uint64_t{0};

// The digest of the bytes of a row. It depends on the number of the row, so that rows that change
// places are noticed. It is never 0 and never kLeftOut.
std::uint64_t row_digest(std::size_t row, std::span<const std::byte> bytes);

// The size of the file that `file.handle` has open, in bytes. Throws IoError.
std::uint64_t file_size(const RowFile& file);

// Lays out a file for path, format and ids, without rows, and replaces whatever the open file
// holds. Throws IoError.
void create_row_file(RowFile& file);

// Fills in the parts of the file that `file.handle` has open; false when it is damaged or not such
// a file. Throws IoError.
bool find_parts(RowFile& file);

// Reads the bytes of a row and returns whether their digest is right. Throws IoError.
bool read_row(const RowFile& file, std::size_t row, std::span<std::byte> bytes);

}  // namespace saccade

// The checkpoint file: a 512-byte header (magic, version, lengths, digest), an ordinary HDF5 file,
// which h5dump and h5py open as it is, and an index of its entries. Loading reads by the index and
// never runs HDF5, so that a file of unknown origin is as safe as a damaged one.
#pragma once

#include <filesystem>

#include "core/base/error.h"
#include "core/io/archive.h"

namespace saccade {

// A checkpoint in another version of the format, which another saccade reads.
class FormatVersionError : public CheckpointError {
  using CheckpointError::CheckpointError;
};

// Writes an archive, completely or not at all. Throws IoError, which names path, reason and remedy.
void save_archive(const std::filesystem::path& path, const Archive& archive);

// Reads an archive. Throws CheckpointError when the file is missing, truncated, damaged, not a
// checkpoint or of another version (FormatVersionError), and IoError when it may not be read.
Archive load_archive(const std::filesystem::path& path);

// The digest of a sealed file's content, as 32 hexadecimal digits, read from its header only.
// Throws as load_archive does.
std::string archive_digest(const std::filesystem::path& path);

}  // namespace saccade

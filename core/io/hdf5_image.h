// An archive as an HDF5 file in memory, and back. Private to core/io and its tests.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/io/archive.h"

namespace saccade {

// The archive as the bytes of an HDF5 file, already read back once. Throws InternalError when HDF5
// fails.
std::vector<std::byte> to_hdf5_image(const Archive& archive);

// Reads the bytes of an HDF5 file that holds only what an archive can: groups and plain datasets of
// known types, no links, filters, chunks or outside storage. Every size is checked before memory is
// taken. Throws CheckpointError that starts with `source`.
Archive from_hdf5_image(std::span<std::byte> image, const std::string& source);

// The same, giving each entry away as it is read.
void visit_hdf5_image(std::span<std::byte> image, const std::string& source,
                      const std::function<void(const std::string&, Archive::Entry)>& visitor);

}  // namespace saccade

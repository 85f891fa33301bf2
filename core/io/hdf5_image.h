// An archive as an HDF5 file in memory. Private to core/io and its tests.
#pragma once

#include <cstddef>
#include <vector>

#include "core/io/archive_index.h"

namespace saccade {

struct Hdf5Image {
  std::vector<std::byte> bytes;    // the HDF5 file
  std::vector<EntryPlace> places;  // the places of the entries in it
};

// Makes the file and opens it once to check it. Throws InternalError when HDF5 fails.
Hdf5Image to_hdf5_image(const Archive& archive);

}  // namespace saccade

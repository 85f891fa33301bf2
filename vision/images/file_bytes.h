// Reads a whole file that the user named; its errors name the remedy. Internal to vision.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/real.h"

namespace saccade {

struct FileKind {
  std::string noun;  // what error messages call it, such as "image"
  Index max_bytes = 0;
};

// Returns the bytes of a regular file. Throws DataError when it is missing, a directory, empty or
// too large, and IoError when it cannot be read.
std::vector<std::uint8_t> read_file_bytes(const std::filesystem::path& path, const FileKind& kind);

}  // namespace saccade

// Reading a whole file that a person named, with errors that say what to do. Internal to vision.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/real.h"

namespace saccade {

struct FileKind {
  std::string noun;  // "image": what errors call it
  Index max_bytes = 0;
};

// The bytes of a regular file. Throws DataError when it is missing, a directory, empty or too
// large, and IoError when it cannot be read.
std::vector<std::uint8_t> read_file_bytes(const std::filesystem::path& path, const FileKind& kind);

}  // namespace saccade

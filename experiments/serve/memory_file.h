// A file in memory, for what reads files alone. It is on no disk.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

#include "core/base/atomic_file.h"

namespace saccade {

class MemoryFile {
 public:
  // Throws IoError where there is no memory for it.
  explicit MemoryFile(std::span<const std::uint8_t> bytes);
  // Where it can be opened while the object lives.
  std::filesystem::path path() const;

 private:
  FileHandle file_;
};

}  // namespace saccade

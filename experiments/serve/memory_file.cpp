#include "experiments/serve/memory_file.h"

#include <sys/mman.h>

#include <cerrno>
#include <string>

namespace saccade {

MemoryFile::MemoryFile(std::span<const std::uint8_t> bytes)
    : file_(::memfd_create("saccade", MFD_CLOEXEC)) {
  if (file_.fd() < 0) throw_io_error("make", "a file in memory", errno);
  if (const int error = write_all(file_.fd(), std::as_bytes(bytes)))
    throw_io_error("write", "a file in memory", error);
}

std::filesystem::path MemoryFile::path() const {
  return "/proc/self/fd/" + std::to_string(file_.fd());
}

}  // namespace saccade

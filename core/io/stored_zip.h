// The places of the files in a zip archive that compresses nothing, as PyTorch writes it.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace saccade {

struct StoredFile {
  std::uint64_t offset = 0, bytes = 0;  // of its content, in the archive
};

// The files of the archive that `fd` has opened, by their names; `source` is its path and `size`
// its length. Throws DataError, with the rule, on an archive that is cut or damaged, has a name
// twice or compresses a file, and IoError where it cannot be read.
std::map<std::string, StoredFile> files_of_zip(int fd, std::uint64_t size,
                                               const std::string& source);

}  // namespace saccade

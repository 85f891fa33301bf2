// The places of the files in a zip archive, as PyTorch and numpy write it.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace saccade {

struct StoredFile {
  std::uint64_t offset = 0, bytes = 0;  // of its content, in the archive
  std::uint64_t packed = 0;             // how many bytes it takes there
  bool deflated = false;                // whether these are compressed
};

// Whether an archive may compress its files (deflate). PyTorch's never do.
enum class ZipContent { kStored, kAny };

// The files of the archive that `fd` has opened, by their names; `source` is its path and `size`
// its length. Throws DataError, with the rule, on an archive that is cut or damaged, has a name
// twice or compresses a file in a way that may not be, and IoError where it cannot be read.
std::map<std::string, StoredFile> files_of_zip(int fd, std::uint64_t size,
                                               const std::string& source,
                                               ZipContent content = ZipContent::kStored);

}  // namespace saccade

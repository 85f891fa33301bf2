#include "vision/images/file_bytes.h"

#include <fstream>

#include "core/base/error.h"

namespace saccade {

std::vector<std::uint8_t> read_file_bytes(const std::filesystem::path& path, const FileKind& kind) {
  namespace fs = std::filesystem;
  const std::string name = path.string();
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found)
    throw DataError(str(name, ": no such ", kind.noun, "; check the path"));
  if (error) throw IoError(str(name, ": cannot be read: ", error.message()));
  if (fs::is_directory(status))
    throw DataError(str(name, ": is a directory, not the ", kind.noun, "; name the file in it"));
  if (!fs::is_regular_file(status))
    throw DataError(str(name, ": is not a regular file; copy the ", kind.noun, " to one"));
  const auto size = static_cast<Index>(fs::file_size(path, error));
  if (error) throw IoError(str(name, ": cannot be read: ", error.message()));
  if (size == 0)
    throw DataError(str(name, ": the ", kind.noun, " is empty; copy it again or remove it"));
  if (size > kind.max_bytes)
    throw DataError(str(name, ": ", size, " bytes are more than the ", kind.max_bytes, " that the ",
                        kind.noun, " may have; make it smaller"));
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(size));
  std::ifstream in(path, std::ios::binary);
  in.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(size));
  if (!in) throw IoError(str(name, ": cannot be read; check its permissions and the disk"));
  return bytes;
}

}  // namespace saccade

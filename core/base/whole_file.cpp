#include "core/base/whole_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "core/base/atomic_file.h"
#include "core/base/error.h"

namespace saccade {

std::optional<std::string> whole_file(const std::filesystem::path& path) {
  constexpr std::size_t kMost = std::size_t{1} << 31, kStep = std::size_t{1} << 16;
  const FileHandle file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.fd() < 0 && (errno == ENOENT || errno == ENOTDIR)) return std::nullopt;
  struct stat status {};
  if (file.fd() < 0 || ::fstat(file.fd(), &status) != 0) throw_io_error("read", path, errno);
  std::string text;
  const auto refuse_size = [&] {
    throw DataError(path.string() + ": it has more than 2 GiB, the most that is read at once");
  };
  // A pipe has no size.
  if (S_ISREG(status.st_mode) && status.st_size > static_cast<off_t>(kMost)) refuse_size();
  for (std::size_t room = static_cast<std::size_t>(status.st_size) + 1;; room = kStep) {
    const std::size_t before = text.size();
    text.resize(before + std::max(room, std::size_t{1}));
    const ssize_t got = ::read(file.fd(), text.data() + before, text.size() - before);
    text.resize(before + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (got == 0) return text;
    if (got < 0 && errno != EINTR) throw_io_error("read", path, errno);
    if (text.size() > kMost) refuse_size();
  }
}

}  // namespace saccade

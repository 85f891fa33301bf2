#include "core/base/atomic_file.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <system_error>

#include "core/base/error.h"

namespace saccade {

namespace fs = std::filesystem;

namespace {

std::string remedy(int error) {
  switch (error) {
    case ENOSPC:
    case EDQUOT:
      return "free some space or write elsewhere";
    case EFBIG:
      return "the file size limit is too low (ulimit -f)";
    case EACCES:
    case EPERM:
      return "check the permissions of the file and its directory";
    case EROFS:
      return "the file system is read-only; write elsewhere";
    case ENOENT:
    case ENOTDIR:
      return "the directory does not exist";
    case EISDIR:
      return "a directory has this name";
    default:
      return "check the disk";
  }
}

fs::path folder_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

int write_parts(int fd, std::span<const std::span<const std::byte>> parts) {
  std::uint64_t total = 0;
  for (const auto part : parts) total += part.size();
  if (const int error = reserve_space(fd, total)) return error;
  for (const auto part : parts) {
    if (const int error = write_all(fd, part)) return error;
  }
  return sync_file(fd);
}

// Whether the path is a pipe, socket or device, or a link to one. A directory is not: using its
// name for a file fails later.
bool is_stream(const fs::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return false;
  return !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

void write_stream(const fs::path& path, std::span<const std::span<const std::byte>> parts) {
  const FileHandle stream(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (stream.fd() < 0) throw_io_error("write", path, errno);
  for (const auto part : parts) {
    if (const int error = write_all(stream.fd(), part)) throw_io_error("write", path, error);
  }
}

}  // namespace

FileHandle& FileHandle::operator=(FileHandle&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

FileHandle::~FileHandle() {
  if (fd_ >= 0) ::close(fd_);
}

int FileHandle::release() {
  const int fd = fd_;
  fd_ = -1;
  return fd;
}

Lock try_lock(int fd, LockKind kind, const fs::path& path, const MessageListener& listener) {
  while (::flock(fd, (kind == LockKind::kAlone ? LOCK_EX : LOCK_SH) | LOCK_NB) != 0) {
    if (errno == EINTR) continue;
    if (errno == EWOULDBLOCK) return Lock::kHeldByAnother;
    warn(listener, path.string() + ": the file system has no locks (" +
                       std::generic_category().message(errno) +
                       "), so another process that writes here would not be noticed; see to it "
                       "that there is none");
    return Lock::kNone;
  }
  return Lock::kTaken;
}

void throw_io_error(const std::string& doing, const fs::path& path, int error) {
  throw IoError("cannot " + doing + " " + path.string() + ": " +
                std::generic_category().message(error) + "; " + remedy(error));
}

int write_all(int fd, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return 0;
}

int write_all_at(int fd, std::span<const std::byte> bytes, std::uint64_t offset) {
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    bytes = bytes.subspan(static_cast<std::size_t>(written));
    offset += static_cast<std::uint64_t>(written);
  }
  return 0;
}

int read_all_at(int fd, std::span<std::byte> bytes, std::uint64_t offset) {
  while (!bytes.empty()) {
    const ssize_t got = ::pread(fd, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno;
    if (got == 0) return EIO;
    bytes = bytes.subspan(static_cast<std::size_t>(got));
    offset += static_cast<std::uint64_t>(got);
  }
  return 0;
}

int reserve_space(int fd, std::uint64_t bytes) {
  if (bytes == 0) return 0;
  int error = EINTR;
  while (error == EINTR) error = ::posix_fallocate(fd, 0, static_cast<off_t>(bytes));
  return error == EINVAL || error == EOPNOTSUPP || error == ENODEV ? 0 : error;
}

int sync_file(int fd) {
  while (::fsync(fd) != 0) {
    if (errno == EINTR) continue;
    return errno == EINVAL ? 0 : errno;  // EINVAL: the file system has nothing to sync
  }
  return 0;
}

int sync_directory(const fs::path& directory) {
  const FileHandle handle(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return handle.fd() < 0 ? errno : sync_file(handle.fd());
}

void write_file(const fs::path& path, std::span<const std::span<const std::byte>> parts) {
  if (is_stream(path)) return write_stream(path, parts);
  std::error_code none;
  if (fs::is_symlink(path, none)) {
    const fs::path target = fs::canonical(path, none);
    if (!none) return write_file(target, parts);
  }
  const FileSizeSignalGuard guard;
  const fs::path temporary = path.string() + ".tmp." + std::to_string(::getpid());
  FileHandle file(
      ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666));
  if (file.fd() < 0) throw_io_error("write", path, errno);
  int error = write_parts(file.fd(), parts);
  if (::close(file.release()) != 0 && error == 0) error = errno;
  if (error == 0 && ::rename(temporary.c_str(), path.c_str()) != 0) error = errno;
  if (error != 0) {
    ::unlink(temporary.c_str());
    throw_io_error("write", path, error);
  }
  if (const int failed = sync_directory(folder_of(path))) throw_io_error("sync", path, failed);
}

void write_file(const fs::path& path, std::span<const std::byte> bytes) {
  const std::array<std::span<const std::byte>, 1> parts = {bytes};
  write_file(path, parts);
}

void write_file(const fs::path& path, std::string_view text) {
  write_file(path, std::as_bytes(std::span(text.data(), text.size())));
}

void make_folders(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw_io_error("make the directory", folder, error.value());
}

int remove_stale_temporaries(const fs::path& directory) {
  int removed = 0;
  std::error_code error;
  for (fs::directory_iterator it(directory, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    const std::size_t mark = name.rfind(".tmp.");
    if (mark == std::string::npos) continue;
    const std::string digits = name.substr(mark + 5);
    int pid = 0;
    const auto [rest, code] = std::from_chars(digits.data(), digits.data() + digits.size(), pid);
    const bool number = code == std::errc{} && rest == digits.data() + digits.size() && pid > 0;
    if (!number || ::kill(pid, 0) == 0 || errno != ESRCH) continue;
    std::error_code ignored;
    if (it->is_regular_file(ignored) && fs::remove(it->path(), ignored)) ++removed;
  }
  return removed;
}

FileSizeSignalGuard::FileSizeSignalGuard() {
  sigset_t signals, before;
  sigemptyset(&signals);
  sigaddset(&signals, SIGXFSZ);
  pthread_sigmask(SIG_BLOCK, &signals, &before);
  was_blocked_ = sigismember(&before, SIGXFSZ) == 1;
}

FileSizeSignalGuard::~FileSizeSignalGuard() {
  if (was_blocked_) return;
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGXFSZ);
  const timespec at_once{};
  while (sigtimedwait(&signals, nullptr, &at_once) == SIGXFSZ) {
  }
  pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
}

}  // namespace saccade

// Files that exist completely or not at all: they are written beside their place, synced and
// renamed. A process that is killed at any moment leaves the old file or the new one.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/messages.h"

namespace saccade {

// Writes the parts one after the other as one file. A pipe or a device such as /dev/null is written
// to directly, because a new file in its place would destroy it; a link is followed. The temporary
// file is `path.tmp.<pid>`; it is removed when anything fails. Throws IoError, which names path,
// reason and remedy.
void write_file(const std::filesystem::path& path,
                std::span<const std::span<const std::byte>> parts);
void write_file(const std::filesystem::path& path, std::span<const std::byte> bytes);
void write_file(const std::filesystem::path& path, std::string_view text);

// Makes a folder, and those above it, where they are missing. Throws IoError as write_file().
void make_folders(const std::filesystem::path& folder);

// Removes temporary files of processes that have ended. Only the owner of the directory (the holder
// of its lock) may call it. Returns the number of files removed.
int remove_stale_temporaries(const std::filesystem::path& directory);

// A file descriptor that is closed when its owner is destroyed.
class FileHandle {
 public:
  FileHandle() = default;
  explicit FileHandle(int descriptor) : fd_(descriptor) {}
  FileHandle(FileHandle&& other) noexcept : fd_(other.release()) {}
  FileHandle& operator=(FileHandle&& other) noexcept;
  ~FileHandle();

  int fd() const { return fd_; }
  int release();

 private:
  int fd_ = -1;
};

// Whether other processes are kept from a file.
enum class Lock { kTaken, kHeldByAnother, kNone };

// Locks an open file for as long as its descriptor is open, alone or together with other readers.
// Some file systems, such as many that clusters share, have no locks: Lock::kNone then, and the
// listener receives a warning that says what would not be noticed. `path` is the file.
enum class LockKind { kAlone, kShared };
Lock try_lock(int fd, LockKind kind, const std::filesystem::path& path,
              const MessageListener& listener = {});

// Throws IoError for a failed system call on a path: what was being done, the text of errno, and a
// remedy.
[[noreturn]] void throw_io_error(const std::string& doing, const std::filesystem::path& path,
                                 int error);

// Writes all bytes at the descriptor's position, or at an offset of the file. Short writes and
// interrupted calls are continued. Returns 0 or errno.
int write_all(int fd, std::span<const std::byte> bytes);
int write_all_at(int fd, std::span<const std::byte> bytes, std::uint64_t offset);
// Fills `bytes` from an offset of the file. Returns 0, errno, or EIO at the end of the file.
int read_all_at(int fd, std::span<std::byte> bytes, std::uint64_t offset);

// Reserves space on disk where the file system can. Returns 0 or errno.
int reserve_space(int fd, std::uint64_t bytes);

// Makes the content of a file, or the renames in a directory, survive a power failure. Returns 0 or
// errno.
int sync_file(int fd);
int sync_directory(const std::filesystem::path& directory);

// While it lives, exceeding the limit on file sizes makes the call fail instead of sending a fatal
// signal.
class FileSizeSignalGuard {
 public:
  FileSizeSignalGuard();
  ~FileSizeSignalGuard();
  FileSizeSignalGuard(const FileSizeSignalGuard&) = delete;
  FileSizeSignalGuard& operator=(const FileSizeSignalGuard&) = delete;

 private:
  bool was_blocked_ = false;
};

}  // namespace saccade

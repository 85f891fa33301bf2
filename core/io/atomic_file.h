// Files that are there whole or not at all: written beside their name, synced, renamed. A process
// killed at any moment leaves the old file or the new one.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace saccade {

// Writes the parts one after the other as one file; into what is there already where it is no file
// (a pipe, a device such as /dev/null), because a file in its place would destroy it; through a
// link to what it leads to. The temporary file is `path.tmp.<pid>`; it is removed when anything
// fails. Throws IoError that names path, reason and remedy.
void write_file(const std::filesystem::path& path,
                std::span<const std::span<const std::byte>> parts);
void write_file(const std::filesystem::path& path, std::span<const std::byte> bytes);
void write_file(const std::filesystem::path& path, std::string_view text);

// Removes the temporary files in a directory whose process is gone; for whoever owns the directory
// (holds its lock). Returns how many there were.
int remove_stale_temporaries(const std::filesystem::path& directory);

// A file descriptor that is closed at the end.
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

// The error of a failed system call on a path, as IoError: what was done, errno's text, a remedy.
[[noreturn]] void throw_io_error(const std::string& doing, const std::filesystem::path& path,
                                 int error);

// Writes all bytes at the descriptor's position, or at an offset of the file: short writes and
// interrupted calls go on. Returns 0 or errno.
int write_all(int fd, std::span<const std::byte> bytes);
int write_all_at(int fd, std::span<const std::byte> bytes, std::uint64_t offset);
// Reads exactly as many bytes as fit, from an offset. Returns 0, errno, or EIO at the end of file.
int read_all_at(int fd, std::span<std::byte> bytes, std::uint64_t offset);

// Reserves space on disk, where the file system can. Returns 0 or errno.
int reserve_space(int fd, std::uint64_t bytes);

// Makes a file's, or a directory's (its renames), content survive a power cut. Returns 0 or errno.
int sync_file(int fd);
int sync_directory(const std::filesystem::path& directory);

// While it lives, exceeding the file size limit is an error of the call, not a fatal signal.
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

#include "core/io/checkpoint.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <memory>

#include "core/base/error.h"
#include "core/io/atomic_file.h"
#include "core/io/hdf5_image.h"
#include "core/io/seal.h"

namespace saccade {

namespace fs = std::filesystem;

namespace {

// A checkpoint file whose header was read and believed.
struct Opened {
  FileHandle file;
  SealedLength sealed;
};

Opened open_sealed(const fs::path& path) {
  FileHandle file(
      ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));  // a pipe must not block
  if (file.fd() < 0) {
    if (errno == ENOENT || errno == ENOTDIR) {
      throw CheckpointError(path.string() + ": no such checkpoint");
    }
    throw_io_error("read", path, errno);
  }
  struct stat status {};
  if (::fstat(file.fd(), &status) != 0) throw_io_error("read", path, errno);
  if (!S_ISREG(status.st_mode)) {
    throw CheckpointError(path.string() + ": not a checkpoint but " +
                          (S_ISDIR(status.st_mode) ? "a directory" : "no regular file"));
  }
  const auto bytes = static_cast<std::uint64_t>(status.st_size);
  std::array<std::byte, kSealBytes> head{};
  const std::span<std::byte> present =
      std::span(head).first(static_cast<std::size_t>(std::min<std::uint64_t>(bytes, kSealBytes)));
  if (const int error = read_all_at(file.fd(), present, 0)) throw_io_error("read", path, error);
  const SealedLength sealed = read_seal(present, bytes, path);
  return {std::move(file), sealed};
}

}  // namespace

void save_archive(const fs::path& path, const Archive& archive) {
  const std::vector<std::byte> image = to_hdf5_image(archive);
  const std::array<std::byte, kSealBytes> header = seal(image);
  const std::array<std::span<const std::byte>, 2> parts = {header, image};
  write_file(path, parts);
}

Archive load_archive(const fs::path& path) {
  const Opened opened = open_sealed(path);
  // Not a vector: a gigabyte of zeros written before the first byte is read is wasted.
  const auto size = static_cast<std::size_t>(opened.sealed.payload_bytes);
  const std::unique_ptr<std::byte[]> buffer(new std::byte[size]);
  const std::span<std::byte> payload(buffer.get(), size);
  if (const int error = read_all_at(opened.file.fd(), payload, kSealBytes)) {
    throw_io_error("read", path, error);
  }
  check_payload(opened.sealed, payload, path);
  return from_hdf5_image(payload, path.string());
}

std::string archive_digest(const fs::path& path) {
  return open_sealed(path).sealed.payload_digest.text();
}

}  // namespace saccade

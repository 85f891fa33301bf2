#include "core/io/checkpoint.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <memory>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/io/hdf5_image.h"
#include "core/io/seal.h"

namespace saccade {

namespace fs = std::filesystem;

namespace {

// A checkpoint file whose header was read and found to be valid.
struct Opened {
  FileHandle file;
  Seal sealed;
};

Opened open_sealed(const fs::path& path) {
  FileHandle file(
      ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));  // opening a pipe must not block
  if (file.fd() < 0) {
    if (errno == ENOENT || errno == ENOTDIR) {
      throw CheckpointError(path.string() + ": no such checkpoint");
    }
    throw_io_error("read", path, errno);
  }
  struct stat status {};
  if (::fstat(file.fd(), &status) != 0) throw_io_error("read", path, errno);
  if (!S_ISREG(status.st_mode)) {
    throw CheckpointError(
        path.string() + ": not a checkpoint but " +
        (S_ISDIR(status.st_mode) ? "a directory" : "a pipe, a socket or a device"));
  }
  const auto bytes = static_cast<std::uint64_t>(status.st_size);
  std::array<std::byte, kSealBytes> head{};
  const std::span<std::byte> present =
      std::span(head).first(static_cast<std::size_t>(std::min<std::uint64_t>(bytes, kSealBytes)));
  if (const int error = read_all_at(file.fd(), present, 0)) throw_io_error("read", path, error);
  const Seal sealed = read_seal(present, bytes, path);
  return {std::move(file), sealed};
}

// Checks that loading would return the archive, bit for bit.
void check_reads_back(const Archive& archive, std::span<const std::byte> image,
                      const std::string& index) {
  std::size_t seen = 0;
  visit_entries(image, index, "image", [&](const std::string& name, Archive::Entry entry) {
    const auto original = archive.entries().find(name);
    const bool same = original != archive.entries().end() && same_entry(original->second, entry);
    SACCADE_ASSERT(same, "archive entry '", name, "' does not read back equal");
    ++seen;
  });
  SACCADE_ASSERT(seen == archive.entries().size(), "an archive does not read back whole");
}

}  // namespace

void save_archive(const fs::path& path, const Archive& archive) {
  const Hdf5Image image = to_hdf5_image(archive);
  const std::string index = index_text(image.places);
  check_reads_back(archive, image.bytes, index);
  const auto index_bytes = std::as_bytes(std::span(index));
  const std::array<std::byte, kSealBytes> header = seal(image.bytes, index_bytes);
  const std::array<std::span<const std::byte>, 3> parts = {header, image.bytes, index_bytes};
  write_file(path, parts);
}

Archive load_archive(const fs::path& path) {
  const Opened opened = open_sealed(path);
  // No vector, which would first fill up to a gigabyte with zeros.
  const auto size = static_cast<std::size_t>(opened.sealed.payload_bytes);
  const std::shared_ptr<std::byte[]> buffer(new std::byte[size]);
  const std::span<std::byte> payload(buffer.get(), size);
  if (const int error = read_all_at(opened.file.fd(), payload, kSealBytes)) {
    throw_io_error("read", path, error);
  }
  check_payload(opened.sealed, payload, path);
  const auto image_bytes = static_cast<std::size_t>(opened.sealed.image_bytes);
  const std::span<const std::byte> index = payload.subspan(image_bytes);
  Archive archive(path.string());
  visit_entries(
      payload.first(image_bytes), {reinterpret_cast<const char*>(index.data()), index.size()},
      path.string(),
      [&](const std::string& name, Archive::Entry entry) { archive.add(name, std::move(entry)); },
      buffer);
  return archive;
}

std::string archive_digest(const fs::path& path) {
  return open_sealed(path).sealed.payload_digest.text();
}

}  // namespace saccade

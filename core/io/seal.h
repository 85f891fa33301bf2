// The 512-byte header (magic, version, lengths, digest) in front of a checkpoint's content: an HDF5
// file, followed by the index of its entries. Private to core/io and its tests.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

namespace saccade {

// To HDF5 the seal is a user block: it searches for its own data at this offset, too.
inline constexpr std::size_t kSealBytes = 512;

struct Digest128 {
  std::uint64_t high = 0, low = 0;
  std::string text() const;  // 32 hexadecimal digits
  friend bool operator==(const Digest128&, const Digest128&) = default;
};

// The header for a payload, which is an HDF5 file and its index.
std::array<std::byte, kSealBytes> seal(std::span<const std::byte> image,
                                       std::span<const std::byte> index);

struct Seal {
  std::uint64_t payload_bytes = 0;
  std::uint64_t image_bytes = 0;  // at most payload_bytes
  Digest128 payload_digest;
};

// Reads a header. `head` is the start of the file (512 bytes if the file has that many),
// `file_bytes` its whole length. Throws CheckpointError when the file is not a checkpoint, of
// another version, damaged or truncated.
Seal read_seal(std::span<const std::byte> head, std::uint64_t file_bytes,
               const std::filesystem::path& path);

// Throws CheckpointError when the payload is not the one that the header was made for.
void check_payload(const Seal& sealed, std::span<const std::byte> payload,
                   const std::filesystem::path& path);

}  // namespace saccade

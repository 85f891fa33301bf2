#include "core/io/seal.h"

#include <xxhash.h>

#include <bit>
#include <cstring>
#include <memory>
#include <new>
#include <string_view>

#include "core/base/error.h"
#include "core/base/foreign_file.h"
#include "core/io/checkpoint.h"

namespace saccade {

static_assert(std::endian::native == std::endian::little,
              "files are written as they are in memory");

namespace {

// As in PNG, it holds line feeds of each kind: a transfer in text mode changes these bytes.
constexpr std::string_view kMagic = "\x89saccade\r\n\x1a\n ck\n";
static_assert(kMagic.size() == 16);
constexpr std::uint32_t kSealVersion = 1;
constexpr std::string_view kNote = "checkpoint of saccade; an HDF5 file starts at byte 512\n";

// Offsets in the header. The rest is zero, and the last eight bytes are the header's own digest.
constexpr std::size_t kVersionAt = 16, kLengthAt = 24, kDigestAt = 32, kImageAt = 48;
constexpr std::size_t kNoteAt = 64;
constexpr std::size_t kHeadDigestAt = kSealBytes - 8;

constexpr std::string_view kAdvice = "; use an earlier checkpoint";

template <class T>
void put(std::span<std::byte> header, std::size_t at, const T& value) {
  std::memcpy(header.data() + at, &value, sizeof value);
}

template <class T>
T take(std::span<const std::byte> header, std::size_t at) {
  T value;
  std::memcpy(&value, header.data() + at, sizeof value);
  return value;
}

bool has(std::span<const std::byte> bytes, std::string_view start) {
  return bytes.size() >= start.size() && std::memcmp(bytes.data(), start.data(), start.size()) == 0;
}

// The XXH3-128 of two pieces as if they were one.
Digest128 digest(std::span<const std::byte> first, std::span<const std::byte> second) {
  const std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state(XXH3_createState(),
                                                                       XXH3_freeState);
  if (!state) throw std::bad_alloc();
  XXH3_128bits_reset(state.get());
  XXH3_128bits_update(state.get(), first.data(), first.size());
  XXH3_128bits_update(state.get(), second.data(), second.size());
  const XXH128_hash_t hash = XXH3_128bits_digest(state.get());
  return {hash.high64, hash.low64};
}

std::string foreign(std::span<const std::byte> head, const std::string& name) {
  if (has(head, kMagic.substr(0, 8))) return "its first bytes were changed, as by a text transfer";
  const std::string kind = foreign_file(head, name);
  if (kind == "it is a safetensors file" || kind == "it is a JSON text")
    return kind + "; of a model as hubs publish it, name the folder";
  return kind.empty() ? "it starts with other bytes" : kind;
}

}  // namespace

std::string Digest128::text() const {
  std::string out;
  for (const std::uint64_t half : {high, low}) {
    for (int shift = 60; shift >= 0; shift -= 4) {
      out += "0123456789abcdef"[(half >> static_cast<unsigned>(shift)) & 15U];
    }
  }
  return out;
}

std::array<std::byte, kSealBytes> seal(std::span<const std::byte> image,
                                       std::span<const std::byte> index) {
  std::array<std::byte, kSealBytes> header{};
  std::memcpy(header.data(), kMagic.data(), kMagic.size());
  std::memcpy(header.data() + kNoteAt, kNote.data(), kNote.size());
  put(header, kVersionAt, kSealVersion);
  put(header, kLengthAt, std::uint64_t{image.size() + index.size()});
  put(header, kDigestAt, digest(image, index));
  put(header, kImageAt, std::uint64_t{image.size()});
  const std::uint64_t own = XXH3_64bits(header.data(), kHeadDigestAt);
  put(header, kHeadDigestAt, own);
  return header;
}

Seal read_seal(std::span<const std::byte> head, std::uint64_t file_bytes,
               const std::filesystem::path& path) {
  const std::string name = path.string();
  if (!has(head, kMagic)) {
    const bool cut =
        head.size() < kMagic.size() && !head.empty() && has(head, kMagic.substr(0, head.size()));
    if (!cut) throw CheckpointError(name + ": not a saccade checkpoint: " + foreign(head, name));
  }
  if (head.size() < kSealBytes) {
    throw CheckpointError(name + ": cut: its header has " + std::to_string(head.size()) +
                          " of 512 bytes" + std::string(kAdvice));
  }
  const std::uint64_t own = XXH3_64bits(head.data(), kHeadDigestAt);
  if (own != take<std::uint64_t>(head, kHeadDigestAt)) {
    throw CheckpointError(name + ": damaged: the digest of its header is wrong" +
                          std::string(kAdvice));
  }
  const auto version = take<std::uint32_t>(head, kVersionAt);
  if (version != kSealVersion) {
    throw FormatVersionError(name + ": written in format version " + std::to_string(version) +
                             ", this program reads version " + std::to_string(kSealVersion) +
                             "; use the saccade that wrote it");
  }
  const Seal sealed{take<std::uint64_t>(head, kLengthAt), take<std::uint64_t>(head, kImageAt),
                    take<Digest128>(head, kDigestAt)};
  if (file_bytes - kSealBytes != sealed.payload_bytes) {
    throw CheckpointError(
        name + (file_bytes - kSealBytes < sealed.payload_bytes ? ": cut: it has " : ": it has ") +
        std::to_string(file_bytes - kSealBytes) + " bytes of content, should be " +
        std::to_string(sealed.payload_bytes) + std::string(kAdvice));
  }
  if (sealed.image_bytes > sealed.payload_bytes) {
    throw CheckpointError(name + ": its header contradicts itself" + std::string(kAdvice));
  }
  return sealed;
}

void check_payload(const Seal& sealed, std::span<const std::byte> payload,
                   const std::filesystem::path& path) {
  const Digest128 found = digest(payload, {});
  if (found == sealed.payload_digest) return;
  throw CheckpointError(path.string() + ": damaged: its XXH3-128 digest is " + found.text() +
                        ", should be " + sealed.payload_digest.text() + std::string(kAdvice));
}

}  // namespace saccade

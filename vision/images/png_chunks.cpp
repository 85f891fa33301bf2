#include "vision/images/png_chunks.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "vision/images/byte_numbers.h"

namespace saccade {

namespace {

constexpr std::size_t kSignature = 8, kFrame = 12;  // length, name and checksum of a chunk

// CRC-32 of ISO 3309, as PNG uses it.
constexpr std::array<std::uint32_t, 256> crc_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t n = 0; n < 256; ++n) {
    std::uint32_t c = n;
    for (int bit = 0; bit < 8; ++bit) c = (c & 1) != 0 ? 0xEDB88320U ^ (c >> 1) : c >> 1;
    table[n] = c;
  }
  return table;
}

std::uint32_t crc(std::span<const std::uint8_t> bytes) {
  static constexpr std::array<std::uint32_t, 256> kTable = crc_table();
  std::uint32_t c = 0xFFFFFFFFU;
  for (const std::uint8_t byte : bytes) c = kTable[(c ^ byte) & 0xFF] ^ (c >> 8);
  return ~c;
}

}  // namespace

std::optional<std::vector<std::uint8_t>> pixel_chunks(std::span<const std::uint8_t> png) {
  constexpr std::array<std::string_view, 4> kCritical = {"IHDR", "PLTE", "IDAT", "IEND"};
  if (png.size() < kSignature) return std::nullopt;
  std::vector<std::uint8_t> out(png.begin(), png.begin() + kSignature);
  for (std::size_t at = kSignature; at + kFrame <= png.size();) {
    const std::size_t length = big_endian(png, at, 4);
    if (length > png.size() - at - kFrame) return std::nullopt;
    const std::string_view name(reinterpret_cast<const char*>(png.data()) + at + 4, 4);
    const std::span<const std::uint8_t> chunk = png.subspan(at, length + kFrame);
    const bool critical = std::find(kCritical.begin(), kCritical.end(), name) != kCritical.end();
    if (critical || name == "tRNS") {
      const bool whole = crc(chunk.subspan(4, length + 4)) == big_endian(chunk, length + 8, 4);
      if (critical && !whole) return std::nullopt;
      if (whole) out.insert(out.end(), chunk.begin(), chunk.end());
    }
    if (name == "IEND") return out;
    at += length + kFrame;
  }
  return std::nullopt;
}

}  // namespace saccade

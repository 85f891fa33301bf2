// Numbers of several bytes in the headers of files. Internal to vision/images.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace saccade {

// The number of `count` <= 4 bytes at `at`, the least significant one first. It is 0 where the
// bytes end before it, which callers take as "not stated".
inline std::uint32_t little_endian(std::span<const std::uint8_t> bytes, std::size_t at,
                                   std::size_t count) {
  if (at > bytes.size() || bytes.size() - at < count) return 0;
  std::uint32_t value = 0;
  while (count > 0) value = value << 8 | bytes[at + --count];
  return value;
}

// The same, with the most significant byte first.
inline std::uint32_t big_endian(std::span<const std::uint8_t> bytes, std::size_t at,
                                std::size_t count) {
  if (at > bytes.size() || bytes.size() - at < count) return 0;
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < count; ++i) value = value << 8 | bytes[at + i];
  return value;
}

}  // namespace saccade

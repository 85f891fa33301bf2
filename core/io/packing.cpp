#include "core/io/packing.h"

#include <zlib.h>

#include "core/base/error.h"

namespace saccade {

namespace {

const Bytef* input(std::span<const std::byte> bytes) {
  return reinterpret_cast<const Bytef*>(bytes.data());
}

}  // namespace

std::vector<std::byte> pack(std::span<const std::byte> bytes, std::size_t width) {
  SACCADE_ASSERT(width > 0 && bytes.size() % width == 0, "bytes that are no whole numbers");
  const std::size_t count = bytes.size() / width;
  std::vector<std::byte> shuffled(bytes.size());
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t b = 0; b < width; ++b) shuffled[b * count + i] = bytes[i * width + b];
  uLongf size = compressBound(static_cast<uLong>(shuffled.size()));
  std::vector<std::byte> packed(size);
  const int done = compress2(reinterpret_cast<Bytef*>(packed.data()), &size, input(shuffled),
                             static_cast<uLong>(shuffled.size()), Z_BEST_COMPRESSION);
  SACCADE_ASSERT(done == Z_OK, "zlib cannot compress");
  packed.resize(size);
  return packed;
}

bool unpack(std::span<const std::byte> packed, std::size_t width, std::span<std::byte> bytes) {
  SACCADE_ASSERT(width > 0 && bytes.size() % width == 0, "bytes that are no whole numbers");
  const std::size_t count = bytes.size() / width;
  std::vector<std::byte> shuffled(bytes.size());
  auto size = static_cast<uLongf>(shuffled.size());
  auto read = static_cast<uLong>(packed.size());
  const int done =
      uncompress2(reinterpret_cast<Bytef*>(shuffled.data()), &size, input(packed), &read);
  if (done != Z_OK || size != shuffled.size() || read != packed.size()) return false;
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t b = 0; b < width; ++b) bytes[i * width + b] = shuffled[b * count + i];
  return true;
}

}  // namespace saccade

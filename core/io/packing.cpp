#include "core/io/packing.h"

#include <zlib.h>

#include <algorithm>

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

bool inflate_part(const std::function<std::size_t(std::span<std::byte>)>& next, std::uint64_t from,
                  std::span<std::byte> out) {
  constexpr std::size_t kBlock = 1 << 16, kMostAtOnce = 1 << 30;
  z_stream stream{};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) return false;
  std::vector<std::byte> packed(kBlock), skipped(kBlock);
  const std::uint64_t end = from + out.size();
  std::uint64_t made = 0;
  int state = Z_OK;
  while (made < end && state == Z_OK) {
    if (stream.avail_in == 0) {
      const std::size_t read = next(packed);
      if (read == 0) break;
      stream.next_in = reinterpret_cast<Bytef*>(packed.data());
      stream.avail_in = static_cast<uInt>(read);
    }
    const std::span<std::byte> to =
        made < from ? std::span(skipped).first(std::min<std::uint64_t>(from - made, kBlock))
                    : out.subspan(static_cast<std::size_t>(made - from))
                          .first(std::min<std::uint64_t>(end - made, kMostAtOnce));
    stream.next_out = reinterpret_cast<Bytef*>(to.data());
    stream.avail_out = static_cast<uInt>(to.size());
    state = inflate(&stream, Z_NO_FLUSH);
    made += to.size() - stream.avail_out;
  }
  inflateEnd(&stream);
  return made == end;
}

}  // namespace saccade

// Bytes that are compressed by deflate: numbers as HDF5's filters shuffle and deflate (gzip) keep
// them (the first bytes of all numbers, then their second bytes and so on), and the files in a zip
// archive. Private to core/io and its tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace saccade {

// Packs numbers of `width` bytes each.
std::vector<std::byte> pack(std::span<const std::byte> bytes, std::size_t width);

// Unpacks into `bytes`. Returns false where the packed bytes are damaged, or hold more or fewer
// bytes than that.
bool unpack(std::span<const std::byte> packed, std::size_t width, std::span<std::byte> bytes);

// Unpacks a part of a stream of deflate without a head: the bytes from `from` on. `next` fills its
// argument with the next packed bytes and returns how many there were, 0 at the end. Returns false
// where the packed bytes are damaged or too few.
bool inflate_part(const std::function<std::size_t(std::span<std::byte>)>& next, std::uint64_t from,
                  std::span<std::byte> out);

}  // namespace saccade

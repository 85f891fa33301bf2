// Numbers as HDF5's filters shuffle and deflate (gzip) keep them: the first bytes of all numbers,
// then their second bytes and so on, compressed. Private to core/io and its tests.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace saccade {

// Packs numbers of `width` bytes each.
std::vector<std::byte> pack(std::span<const std::byte> bytes, std::size_t width);

// Unpacks into `bytes`. Returns false where the packed bytes are damaged, or hold more or fewer
// bytes than that.
bool unpack(std::span<const std::byte> packed, std::size_t width, std::span<std::byte> bytes);

}  // namespace saccade

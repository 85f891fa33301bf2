// What of a PNG file the decoder is given. libpng complains about much that it dislikes in other
// chunks (colour profiles, times, texts); what it says of these says that the pixels are damaged.
// Internal to vision/images/image.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace saccade {

// The file with only those chunks that make its pixels: IHDR, PLTE, tRNS, IDAT, IEND. Empty where
// one of them is damaged (its checksum differs) or the file ends early.
std::optional<std::vector<std::uint8_t>> pixel_chunks(std::span<const std::uint8_t> png);

}  // namespace saccade

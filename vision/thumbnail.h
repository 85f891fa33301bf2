// Thumbnail: a photo made small enough to travel inside a page.
#pragma once

#include <cstdint>
#include <vector>

#include "vision/image.h"

namespace saccade {

// The bytes of a JPEG file that holds the image, shrunk until no side is longer than `longest`
// pixels; a smaller one keeps its size. quality is 1 to 100. Throws ShapeError on an empty image.
std::vector<std::uint8_t> jpeg_thumbnail(const Image& image, Index longest, int quality);

}  // namespace saccade

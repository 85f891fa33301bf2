// Thumbnail: a photo made small enough to be embedded in a page.
#pragma once

#include <cstdint>
#include <vector>

#include "vision/images/image.h"

namespace saccade {

// Returns the bytes of a JPEG file of the image, shrunk until no side is longer than `longest`
// pixels; a smaller image keeps its size. `quality` is 1 to 100. Throws ShapeError on an empty
// image, and DataError where a side has more than 65500 pixels then.
std::vector<std::uint8_t> jpeg_thumbnail(const Image& image, Index longest, int quality);

}  // namespace saccade

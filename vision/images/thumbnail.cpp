#include "vision/images/thumbnail.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "vision/images/geometry.h"
#include "vision/images/jpeg_codec.h"

namespace saccade {

std::vector<std::uint8_t> jpeg_thumbnail(const Image& image, Index longest, int quality) {
  SACCADE_CHECK(!image.empty() && longest > 0, "[jpeg_thumbnail] the image or its size is empty");
  const double shrink = std::min(
      1.0, static_cast<double>(longest) / static_cast<double>(std::max(image.height, image.width)));
  const auto side = [&](Index pixels) {
    return std::max<Index>(1, std::lround(static_cast<double>(pixels) * shrink));
  };
  return encode_jpeg(
      prepare(image, {.height = side(image.height), .width = side(image.width)}).image, quality);
}

}  // namespace saccade

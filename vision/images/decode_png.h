// Decodes PNG with libpng, whose complaints become values: OpenCV's decoder lets libpng print them
// on stderr. Internal to vision/images/image.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "vision/images/image.h"

namespace cv {
class Mat;
}

namespace saccade {

// The stored picture, to the bit as cv::imdecode gives it with IMREAD_UNCHANGED: one channel of
// grey, BGR or BGRA, of 8 or 16 bits; empty where the file cannot be decoded or is not of `size`.
// `complaint` is then the first thing that libpng says against it, such as "IDAT: incorrect data
// check"; it may also be set for a picture that was decoded. Throws std::bad_alloc.
cv::Mat decode_png(std::span<const std::uint8_t> bytes, const ImageSize& size,
                   std::optional<std::string>& complaint);

}  // namespace saccade

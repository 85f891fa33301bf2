// Decodes WebP with libwebp itself, whose errors are values. OpenCV's reader takes no pictures that
// move, and where it does not know a file it asks its other readers. Internal to
// vision/images/image.cpp and image_header.cpp.
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

// The size that decode_webp() will find, in pixels; 0x0 where the file gives none.
ImageSize webp_size(std::span<const std::uint8_t> bytes);

// The stored picture, BGR or BGRA of 8 bits; of a picture that moves, its first frame on the
// canvas, which is clear where the frame does not reach. Empty where the file cannot be decoded or
// is not of `size`. `complaint` is then what libwebp says against it. Throws std::bad_alloc.
cv::Mat decode_webp(std::span<const std::uint8_t> bytes, const ImageSize& size,
                    std::optional<std::string>& complaint);

}  // namespace saccade

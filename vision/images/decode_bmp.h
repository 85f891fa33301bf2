// Reads BMP files whose pixels are not compressed. Internal to vision/images/image.cpp and
// image_header.cpp.
#pragma once

#include <cstdint>
#include <span>

#include "vision/images/image.h"

namespace cv {
class Mat;
}

namespace saccade {

// What the header of a file says.
struct BmpHead {
  ImageSize size;        // 0x0 where it has none, or holds a file of another format
  bool runs = false;     // whether the pixels are coded as runs of equal ones, which is not read
  bool complete = true;  // whether the file has all bytes of pixels that are not compressed
};
BmpHead bmp_head(std::span<const std::uint8_t> bytes);

// The picture as BGR of 8 bits; its alpha, which is more often padding, is left out. Empty where
// the file is not of `size`, lacks bytes or is of a kind that is not read: pixels have 1, 4 or 8
// bits (with a palette), 16 (with masks), 24 or 32. Colours behind the end of a palette are black.
// Throws std::bad_alloc.
cv::Mat decode_bmp(std::span<const std::uint8_t> bytes, const ImageSize& size);

}  // namespace saccade

// Reads and writes PNG with libpng, whose complaints become values: nothing is printed on stderr.
// Internal to vision.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

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

// The bytes of a PNG file of `samples` [height, width, channels] of 8 bits; 3 channels are RGB, 4
// are RGBA. It is written fast rather than small, to the bit as cv::imencode writes it. Throws
// DataError where a side has more than a million pixels, and std::bad_alloc.
std::vector<std::uint8_t> encode_png(std::span<const std::uint8_t> samples, const ImageSize& size,
                                     int channels);

}  // namespace saccade

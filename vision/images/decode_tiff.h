// Decodes TIFF with libtiff itself, whose complaints become values and whose memory is bounded.
// Internal to vision/images/image.cpp and image_header.cpp.
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

inline constexpr Index kMostPages = 100;

// What the first directory of a file says, as libtiff reads it.
struct TiffHead {
  ImageSize size;       // as stored; 0x0 where the directory cannot be read
  int orientation = 1;  // 1..8, as in EXIF
  Index bits = 8;       // of a sample
  Index pages = 1;      // counted up to kMostPages; without smaller copies and masks
};
TiffHead tiff_head(std::span<const std::uint8_t> bytes);

// The stored picture (its orientation is not applied) as BGR of 8 bits, on white where it is clear.
// Empty where the file cannot be decoded, is not of `size`, or asks for much more memory or work
// than its size explains. `complaint` is then the first thing that is said against it; it may also
// be set for a picture that was decoded. Throws std::bad_alloc.
cv::Mat decode_tiff(std::span<const std::uint8_t> bytes, const ImageSize& size,
                    std::optional<std::string>& complaint);

}  // namespace saccade

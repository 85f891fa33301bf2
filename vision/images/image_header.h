// What the header of an image file contains, read before the file is decoded. Internal to
// vision/images/image.cpp.
#pragma once

#include <cstdint>
#include <span>

#include "core/base/real.h"

namespace saccade {

// The longest side that is decoded, in pixels: libjpeg's limit for JPEG. Every decoder has such a
// limit, and some report it on stderr in their own words.
inline constexpr Index kMaxImageSide = 65'500;

enum class ImageFormat { kUnknown, kJpeg, kPng, kBmp, kWebp, kTiff };

struct ImageHeader {
  ImageFormat format = ImageFormat::kUnknown;
  Index height = 0, width = 0;  // as stored, before orientation; 0 if the file lacks them
  int orientation = 1;          // EXIF 1..8
  bool complete = true;         // the file reaches its end mark, or the length that it claims
};

// Reads size, orientation and completeness without decoding; never reads outside `bytes`.
ImageHeader read_image_header(std::span<const std::uint8_t> bytes);

}  // namespace saccade

// What the header of an image file contains, read before the file is decoded. Internal to
// vision/images/image.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

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
  Index bits = 8;               // of a sample, where PNG or TIFF has more than 8
  bool complete = true;         // the file reaches its end mark, or the length that it claims
  Index pictures = 1;           // frames of a picture that moves, or pages
  bool apart = false;           // the picture that is decoded is none of these
  std::string_view unread{};    // what the file is, where files of its kind are not read
};

// Reads size, orientation and completeness without decoding; never reads outside `bytes`.
// The size is the one that the decoder finds: of BMP, WebP and TIFF, the decoder reads it.
ImageHeader read_image_header(std::span<const std::uint8_t> bytes);

// Whether the first bytes of a file (32 are enough) are those of a format that is read.
bool begins_as_image(std::span<const std::uint8_t> bytes);

// What a transfer as text did to a file that was a picture, as a sentence without a subject: "was
// ..."; "" where its first bytes do not show it.
std::string text_damage(std::span<const std::uint8_t> bytes);

// What a file is that holds no picture of a format that is read, such as "an AVIF picture" or "a
// web page"; "" where its first bytes say nothing.
std::string_view foreign_kind(std::span<const std::uint8_t> bytes);

}  // namespace saccade

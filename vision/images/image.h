// Image: the pixels of an upright RGB picture, and reading and writing them. Everything above core
// may include it; it shows no type of an image library.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "core/base/messages.h"
#include "core/base/real.h"

namespace saccade {

// The largest picture that is decoded where no other limit is given, in pixels; the header of a
// larger one is enough to refuse it.
inline constexpr Index kMaxImagePixels = 64'000'000;
// The largest image file that is read, in bytes.
inline constexpr Index kMaxImageFileBytes = 256 << 20;

// Bytes of red, green and blue, row by row from the top left: rgb[(y * width + x) * 3 + channel].
struct Image {
  Index height = 0;               // pixels
  Index width = 0;                // pixels
  std::vector<std::uint8_t> rgb;  // 3 height width bytes

  Image() = default;  // no picture
  // A picture [height, width] whose bytes all have the same value. Throws ShapeError unless both
  // extents are positive.
  Image(Index h, Index w, std::uint8_t level = 0);

  // Whether there is no picture.
  bool empty() const { return rgb.empty(); }
  // The red byte of the pixel in row y and column x, to be written to; green and blue follow it.
  // The place is not checked.
  std::uint8_t* pixel(Index y, Index x) { return rgb.data() + (y * width + x) * 3; }
  // The same, to be read.
  const std::uint8_t* pixel(Index y, Index x) const { return rgb.data() + (y * width + x) * 3; }
};

// Reads a JPEG, PNG, BMP, WebP or TIFF file; of several pictures in it, the first. EXIF orientation
// is applied, grey and CMYK become RGB, alpha is composited on white, and 16 bits are scaled to 8.
// Throws DataError, which names the file and a remedy, when it is missing, not an image, cut short,
// larger than `max_pixels` (known from its header, before decoding) or of another kind, IoError
// when it cannot be read, and std::bad_alloc when the memory does not suffice; memory and time are
// bounded by the pixels. One warning tells of a file that was decoded although something in it is
// damaged, that has several frames or pages, or whose 16 bits hold 12 or fewer (nearly black).
Image read_image(const std::filesystem::path& path, const MessageListener& listener = {},
                 Index max_pixels = kMaxImagePixels);

// The extents of a picture, in pixels.
struct ImageSize {
  Index height = 0;  // rows
  Index width = 0;   // columns
  // Whether both extents are equal.
  friend bool operator==(const ImageSize&, const ImageSize&) = default;
};
// The size of what read_image() would return, from the file's header alone. Throws as read_image()
// does for whatever the header shows.
ImageSize read_image_size(const std::filesystem::path& path, Index max_pixels = kMaxImagePixels);

// Does the same as read_image() for the bytes of a file; `name` stands for the file in error
// messages and warnings.
Image decode_image(std::span<const std::uint8_t> bytes, const std::string& name,
                   const MessageListener& listener = {}, Index max_pixels = kMaxImagePixels);

// Writes a PNG file, completely or not at all. Throws IoError, and as encode_png() does.
void write_png(const std::filesystem::path& path, const Image& image);

// The bytes of a PNG file that holds the image. Throws DataError where a side has more than a
// million pixels, ShapeError where the image is empty, and std::bad_alloc.
std::vector<std::uint8_t> encode_png(const Image& image);

}  // namespace saccade

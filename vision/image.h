// Image: pixels as a person sees them, and reading and writing them. Everything above core may
// include it; no image library shows through.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "core/base/real.h"

namespace saccade {

// The largest picture that is decoded, in pixels; above it a file is refused by its header.
inline constexpr Index kMaxImagePixels = 64'000'000;
// The largest image file that is read, in bytes.
inline constexpr Index kMaxImageFileBytes = 256 << 20;

// Red, green, blue bytes, row by row from the top left: rgb[(y * width + x) * 3 + channel].
struct Image {
  Index height = 0, width = 0;
  std::vector<std::uint8_t> rgb;

  Image() = default;
  // A picture of one colour [height, width]. Throws ShapeError unless both are positive.
  Image(Index h, Index w, std::uint8_t level = 0);

  bool empty() const { return rgb.empty(); }
  std::uint8_t* pixel(Index y, Index x) { return rgb.data() + (y * width + x) * 3; }
  const std::uint8_t* pixel(Index y, Index x) const { return rgb.data() + (y * width + x) * 3; }
};

// Reads a JPEG, PNG, BMP, WebP or TIFF file: EXIF orientation applied, grey and CMYK made RGB,
// alpha composited on white, 16 bit scaled to 8. Throws DataError naming file and remedy when it is
// missing, no image, cut short, too large (by its header, before decoding) or of another kind, and
// IoError when it cannot be read.
Image read_image(const std::filesystem::path& path);

struct ImageSize {
  Index height = 0, width = 0;
};
// The size of what read_image() gives, from the file's header alone. Throws the same for what the
// header shows.
ImageSize read_image_size(const std::filesystem::path& path);

// The same as read_image() for the bytes of a file; `name` is what errors call it.
Image decode_image(std::span<const std::uint8_t> bytes, const std::string& name);

// Writes a PNG file, whole or not at all. Throws IoError.
void write_png(const std::filesystem::path& path, const Image& image);

// The bytes of a PNG file that holds the image.
std::vector<std::uint8_t> encode_png(const Image& image);

}  // namespace saccade

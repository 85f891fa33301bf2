#include "vision/images/image_header.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string_view>

namespace saccade {

namespace {

using Bytes = std::span<const std::uint8_t>;

// Reads a number of `count` bytes at `at`. It is 0 beyond the end, which every caller takes as "not
// stated".
std::uint32_t number(Bytes bytes, std::size_t at, std::size_t count, std::endian order) {
  if (at > bytes.size() || bytes.size() - at < count) return 0;
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t shift = 8 * (order == std::endian::big ? count - 1 - i : i);
    value |= static_cast<std::uint32_t>(bytes[at + i]) << shift;
  }
  return value;
}

std::uint32_t big(Bytes bytes, std::size_t at, std::size_t count) {
  return number(bytes, at, count, std::endian::big);
}

std::uint32_t little(Bytes bytes, std::size_t at, std::size_t count) {
  return number(bytes, at, count, std::endian::little);
}

bool has(Bytes bytes, std::size_t at, std::string_view text) {
  return at <= bytes.size() && bytes.size() - at >= text.size() &&
         std::memcmp(bytes.data() + at, text.data(), text.size()) == 0;
}

Bytes from(Bytes bytes, std::size_t at, std::size_t count) {
  if (at >= bytes.size()) return {};
  return bytes.subspan(at, std::min(count, bytes.size() - at));
}

// The first directory of a TIFF structure; an EXIF block holds one, too.
struct TiffTags {
  std::uint32_t width = 0, height = 0, orientation = 1;
};

TiffTags read_tiff_tags(Bytes tiff) {
  TiffTags tags;
  const bool is_little = has(tiff, 0, std::string_view("II*\0", 4));
  if (!is_little && !has(tiff, 0, std::string_view("MM\0*", 4))) return tags;
  const std::endian order = is_little ? std::endian::little : std::endian::big;
  const std::size_t directory = number(tiff, 4, 4, order);
  const std::size_t count = number(tiff, directory, 2, order);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t entry = directory + 2 + 12 * i;
    if (entry + 12 > tiff.size()) break;
    const bool is_short = number(tiff, entry + 2, 2, order) == 3;
    const std::uint32_t value = number(tiff, entry + 8, is_short ? 2 : 4, order);
    switch (number(tiff, entry, 2, order)) {
      case 0x0100:
        tags.width = value;
        break;
      case 0x0101:
        tags.height = value;
        break;
      case 0x0112:
        if (value >= 1 && value <= 8) tags.orientation = value;
        break;
      default:
        break;
    }
  }
  return tags;
}

int exif_orientation(Bytes block) {
  // Writers of WebP disagree on whether the block starts with JPEG's prefix.
  constexpr std::string_view kPrefix("Exif\0\0", 6);
  if (has(block, 0, kPrefix)) block = block.subspan(kPrefix.size());
  return static_cast<int>(read_tiff_tags(block).orientation);
}

// The position of the next marker byte (the one after 0xFF), searching from `at`; bytes.size() when
// there is none. Inside compressed data, 0xFF is followed by 0 or by a restart marker; these are
// skipped.
std::size_t next_jpeg_marker(Bytes bytes, std::size_t at) {
  while (at + 1 < bytes.size()) {
    const void* found = std::memchr(bytes.data() + at, 0xFF, bytes.size() - at - 1);
    if (!found) break;
    at = static_cast<std::size_t>(static_cast<const std::uint8_t*>(found) - bytes.data()) + 1;
    const std::uint8_t marker = bytes[at];
    if (marker != 0x00 && marker != 0xFF && marker != 0x01 && (marker < 0xD0 || marker > 0xD8))
      return at;
  }
  return bytes.size();
}

ImageHeader read_jpeg(Bytes bytes) {
  ImageHeader header{.format = ImageFormat::kJpeg, .complete = false};
  std::size_t at = 2;
  while ((at = next_jpeg_marker(bytes, at)) < bytes.size()) {
    const std::uint8_t marker = bytes[at++];
    if (marker == 0xD9) {
      header.complete = true;  // data after the end marker are not part of the image
      break;
    }
    const std::size_t length = big(bytes, at, 2);
    const bool is_frame =
        marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC;
    if (is_frame && header.width == 0) {
      header.height = big(bytes, at + 3, 2);
      header.width = big(bytes, at + 5, 2);
    }
    if (marker == 0xE1 && has(bytes, at + 2, "Exif") && length >= 2)
      header.orientation = exif_orientation(from(bytes, at + 2, length - 2));
    at += std::max<std::size_t>(length, 2);
  }
  return header;
}

ImageHeader read_png(Bytes bytes) {
  ImageHeader header{.format = ImageFormat::kPng, .complete = false};
  std::size_t at = 8;
  while (at + 12 <= bytes.size()) {
    const std::size_t length = big(bytes, at, 4);
    if (length > bytes.size() - at - 12) break;
    if (has(bytes, at + 4, "IHDR")) {
      header.width = big(bytes, at + 8, 4);
      header.height = big(bytes, at + 12, 4);
    } else if (has(bytes, at + 4, "eXIf")) {
      header.orientation = exif_orientation(from(bytes, at + 8, length));
    } else if (has(bytes, at + 4, "IEND")) {
      header.complete = true;
      break;
    }
    at += length + 12;
  }
  return header;
}

ImageHeader read_bmp(Bytes bytes) {
  ImageHeader header{.format = ImageFormat::kBmp};
  const bool is_old = little(bytes, 14, 4) == 12;
  const auto extent = [&](std::size_t index) -> Index {
    if (is_old) return little(bytes, 18 + 2 * index, 2);
    const Index value = static_cast<std::int32_t>(little(bytes, 18 + 4 * index, 4));
    return value < 0 ? -value : value;  // a negative height means that the top row comes first
  };
  header.width = extent(0);
  header.height = extent(1);
  const std::uint32_t compression = is_old ? 0 : little(bytes, 30, 4);
  if (compression == 0 || compression == 3) {
    const Index bits = little(bytes, is_old ? 24 : 28, 2);
    const Index row_bytes = (header.width * bits + 31) / 32 * 4;
    const Index start = little(bytes, 10, 4);
    header.complete =
        row_bytes == 0 || header.height <= (static_cast<Index>(bytes.size()) - start) / row_bytes;
  }
  return header;
}

ImageHeader read_webp(Bytes bytes) {
  ImageHeader header{.format = ImageFormat::kWebp};
  header.complete = static_cast<std::size_t>(little(bytes, 4, 4)) + 8 <= bytes.size();
  std::size_t at = 12;
  while (at + 8 <= bytes.size()) {
    const std::size_t length = little(bytes, at + 4, 4);
    const std::size_t data = at + 8;
    if (has(bytes, at, "VP8X")) {
      header.width = little(bytes, data + 4, 3) + 1;
      header.height = little(bytes, data + 7, 3) + 1;
    } else if (has(bytes, at, "VP8 ") && header.width == 0) {
      header.width = little(bytes, data + 6, 2) & 0x3FFF;
      header.height = little(bytes, data + 8, 2) & 0x3FFF;
    } else if (has(bytes, at, "VP8L") && header.width == 0) {
      const std::uint32_t packed = little(bytes, data + 1, 4);
      header.width = (packed & 0x3FFF) + 1;
      header.height = ((packed >> 14) & 0x3FFF) + 1;
    } else if (has(bytes, at, "EXIF")) {
      header.orientation = exif_orientation(from(bytes, data, length));
    }
    at = data + length + length % 2;
  }
  return header;
}

}  // namespace

ImageHeader read_image_header(std::span<const std::uint8_t> bytes) {
  if (has(bytes, 0, "\xFF\xD8\xFF")) return read_jpeg(bytes);
  if (has(bytes, 0, "\x89PNG\r\n\x1A\n")) return read_png(bytes);
  if (has(bytes, 0, "BM")) return read_bmp(bytes);
  if (has(bytes, 0, "RIFF") && has(bytes, 8, "WEBP")) return read_webp(bytes);
  const TiffTags tags = read_tiff_tags(bytes);
  // The decoder itself turns TIFF images by their orientation tag.
  if (tags.width > 0)
    return {.format = ImageFormat::kTiff, .height = tags.height, .width = tags.width};
  return {};
}

}  // namespace saccade

#include "vision/images/decode_bmp.h"

#include <algorithm>
#include <array>
#include <bit>
#include <opencv2/core.hpp>
#include <optional>

#include "vision/images/byte_numbers.h"

namespace saccade {

namespace {

enum BmpCoding : std::uint32_t { kPlain = 0, kRunsOf8 = 1, kRunsOf4 = 2, kMasked = 3 };

constexpr std::size_t kFileHeader = 14, kOldHeader = 12, kSmallestHeader = 36, kMasks = 54;

struct BmpFields {
  Index start = 0;              // of the rows, in bytes
  std::size_t header = 0;       // its bytes, behind those of the file header
  Index width = 0, height = 0;  // as stated: of a negative height, the top row comes first
  Index bits = 0;               // of a pixel
  std::uint32_t coding = kPlain;
  std::size_t colours = 0;  // of the palette; 0: as many as the bits can name

  bool old() const { return header == kOldHeader; }
  Index row_bytes() const { return (std::abs(width) * bits + 31) / 32 * 4; }
  bool holds_rows(std::span<const std::uint8_t> bytes) const {
    const Index row = row_bytes();
    return row == 0 || std::abs(height) <= (std::ssize(bytes) - start) / row;
  }
};

BmpFields fields_of(std::span<const std::uint8_t> bytes) {
  const auto at = [&](std::size_t place, std::size_t count) {
    return little_endian(bytes, place, count);
  };
  BmpFields out{.start = at(10, 4), .header = at(kFileHeader, 4)};
  if (out.old()) {
    out.width = at(18, 2);
    out.height = at(20, 2);
    out.bits = at(24, 2);
    return out;
  }
  out.width = static_cast<std::int32_t>(at(18, 4));
  out.height = static_cast<std::int32_t>(at(22, 4));
  out.bits = at(28, 2);
  out.coding = at(30, 4);
  out.colours = at(46, 4);
  return out;
}

using BmpColour = std::array<std::uint8_t, 3>;  // blue, green, red
using BmpPalette = std::array<BmpColour, 256>;

std::optional<BmpPalette> palette_of(std::span<const std::uint8_t> bytes, const BmpFields& fields) {
  BmpPalette out{};
  const std::size_t each = fields.old() ? 3 : 4, begin = kFileHeader + fields.header;
  const std::size_t count = fields.colours > 0 ? fields.colours : std::size_t{1} << fields.bits;
  if (count > out.size() || begin + count * each > bytes.size()) return std::nullopt;
  for (std::size_t i = 0; i < count; ++i)
    std::copy_n(bytes.data() + begin + i * each, 3, out[i].begin());
  return out;
}

using BmpMasks = std::array<std::uint32_t, 3>;  // of blue, green, red in a pixel

BmpMasks masks_of(std::span<const std::uint8_t> bytes, const BmpFields& fields) {
  if (fields.coding != kMasked) return {0x1F, 0x3E0, 0x7C00};  // of 16 bits
  const auto mask = [&](std::size_t place) { return little_endian(bytes, kMasks + 4 * place, 4); };
  return {mask(2), mask(1), mask(0)};
}

// The eight highest bits of what a mask selects. Fewer bits become the high ones of the byte, so
// that the brightest value of five bits is 248, as in OpenCV.
std::uint8_t masked_byte(std::uint32_t pixel, std::uint32_t mask) {
  const int down = std::bit_width(mask) - 8;
  return static_cast<std::uint8_t>(down >= 0 ? (pixel & mask) >> down : (pixel & mask) << -down);
}

// What makes colours of the bits of pixels.
struct BmpPixels {
  Index bits = 0;
  std::optional<BmpPalette> palette{};  // of 1, 4 and 8 bits
  std::optional<BmpMasks> masks{};      // of 16 bits, and of 32 with masks

  // The colour of pixel x of a row, which has it.
  BmpColour colour(std::span<const std::uint8_t> row, Index x) const {
    const Index bit = x * bits;
    const auto from = static_cast<std::size_t>(bit / 8);
    if (palette) {
      const unsigned index = unsigned{row[from]} >> (8 - bits - bit % 8);
      return (*palette)[index & ((1U << bits) - 1)];
    }
    if (!masks) return {row[from], row[from + 1], row[from + 2]};
    const std::uint32_t pixel = little_endian(row, from, static_cast<std::size_t>(bits / 8));
    BmpColour out{};
    for (std::size_t c = 0; c < 3; ++c) out[c] = masked_byte(pixel, (*masks)[c]);
    return out;
  }
};

// Nothing where the pixels are of a kind that is not read.
std::optional<BmpPixels> pixels_of(std::span<const std::uint8_t> bytes, const BmpFields& fields) {
  BmpPixels out{.bits = fields.bits};
  if (!fields.old() && fields.header < kSmallestHeader) return std::nullopt;
  const bool masked = fields.coding == kMasked;
  if (fields.coding != kPlain && !masked) return std::nullopt;
  switch (fields.bits) {
    case 1:
    case 4:
    case 8:
      out.palette = palette_of(bytes, fields);
      if (masked || !out.palette) return std::nullopt;
      return out;
    case 16:
      if (fields.old()) return std::nullopt;
      out.masks = masks_of(bytes, fields);
      return out;
    case 24:
      if (masked) return std::nullopt;
      return out;
    case 32:
      if (masked) out.masks = masks_of(bytes, fields);
      return out;
    default:
      return std::nullopt;
  }
}

}  // namespace

BmpHead bmp_head(std::span<const std::uint8_t> bytes) {
  const BmpFields fields = fields_of(bytes);
  if (fields.coding > kMasked) return {};  // JPEG and PNG for printers
  const bool runs = fields.coding == kRunsOf8 || fields.coding == kRunsOf4;
  return {.size = {std::abs(fields.height), std::abs(fields.width)},
          .runs = runs,
          .complete = runs || fields.holds_rows(bytes)};
}

cv::Mat decode_bmp(std::span<const std::uint8_t> bytes, const ImageSize& size) {
  const BmpFields fields = fields_of(bytes);
  const std::optional<BmpPixels> pixels = pixels_of(bytes, fields);
  if (!pixels || fields.width <= 0 || fields.width != size.width || size.height <= 0 ||
      std::abs(fields.height) != size.height || !fields.holds_rows(bytes))
    return {};
  cv::Mat out(static_cast<int>(size.height), static_cast<int>(size.width), CV_8UC3);
  const auto row_bytes = static_cast<std::size_t>(fields.row_bytes());
  for (Index y = 0; y < size.height; ++y) {
    const Index line = fields.height < 0 ? y : size.height - 1 - y;
    const auto row = bytes.subspan(
        static_cast<std::size_t>(fields.start) + static_cast<std::size_t>(line) * row_bytes,
        row_bytes);
    std::uint8_t* to = out.ptr<std::uint8_t>(static_cast<int>(y));
    for (Index x = 0; x < size.width; ++x, to += 3)
      std::copy_n(pixels->colour(row, x).begin(), 3, to);
  }
  return out;
}

}  // namespace saccade

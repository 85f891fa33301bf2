#include "vision/images/image_header.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <string_view>

#include "vision/images/byte_numbers.h"
#include "vision/images/decode_bmp.h"
#include "vision/images/decode_tiff.h"
#include "vision/images/decode_webp.h"

namespace saccade {

namespace {

using Bytes = std::span<const std::uint8_t>;

bool has(Bytes bytes, std::size_t at, std::string_view text) {
  return at <= bytes.size() && bytes.size() - at >= text.size() &&
         std::memcmp(bytes.data() + at, text.data(), text.size()) == 0;
}

Bytes from(Bytes bytes, std::size_t at, std::size_t count) {
  if (at >= bytes.size()) return {};
  return bytes.subspan(at, std::min(count, bytes.size() - at));
}

// An EXIF block is a TIFF structure; the orientation stands in its first directory.
int exif_orientation(Bytes block) {
  // Writers of WebP disagree on whether the block starts with JPEG's prefix.
  constexpr std::string_view kPrefix("Exif\0\0", 6);
  if (has(block, 0, kPrefix)) block = block.subspan(kPrefix.size());
  const bool is_little = has(block, 0, std::string_view("II*\0", 4));
  if (!is_little && !has(block, 0, std::string_view("MM\0*", 4))) return 1;
  const auto number = is_little ? little_endian : big_endian;
  const std::size_t directory = number(block, 4, 4);
  const std::size_t count = number(block, directory, 2);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t entry = directory + 2 + 12 * i;
    if (entry + 12 > block.size()) break;
    if (number(block, entry, 2) != 0x0112) continue;
    const bool is_short = number(block, entry + 2, 2) == 3;
    const std::uint32_t value = number(block, entry + 8, is_short ? 2 : 4);
    return value >= 1 && value <= 8 ? static_cast<int>(value) : 1;
  }
  return 1;
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
    const std::size_t length = big_endian(bytes, at, 2);
    const bool is_frame =
        marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC;
    if (is_frame && header.width == 0) {
      header.height = big_endian(bytes, at + 3, 2);
      header.width = big_endian(bytes, at + 5, 2);
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
  bool pixels = false, moves = false, first_moves = false;
  Index frames = 0;
  while (at + 12 <= bytes.size()) {
    const std::size_t length = big_endian(bytes, at, 4);
    if (length > bytes.size() - at - 12) break;
    if (has(bytes, at + 4, "IHDR") && header.width == 0) {  // libpng refuses a second one
      header.width = big_endian(bytes, at + 8, 4);
      header.height = big_endian(bytes, at + 12, 4);
      header.bits = big_endian(bytes, at + 16, 1);
    } else if (has(bytes, at + 4, "acTL")) {
      moves = moves || !pixels;  // behind the pixels it counts for nothing
    } else if (has(bytes, at + 4, "fcTL")) {
      first_moves = first_moves || !pixels;
      ++frames;
    } else if (has(bytes, at + 4, "IDAT")) {
      pixels = true;
    } else if (has(bytes, at + 4, "eXIf")) {
      header.orientation = exif_orientation(from(bytes, at + 8, length));
    } else if (has(bytes, at + 4, "IEND")) {
      header.complete = true;
      break;
    }
    at += length + 12;
  }
  if (moves) header.pictures = std::max<Index>(frames, 1);
  header.apart = moves && !first_moves;
  return header;
}

ImageHeader read_bmp(Bytes bytes) {
  const BmpHead head = bmp_head(bytes);
  return {.format = ImageFormat::kBmp,
          .height = head.size.height,
          .width = head.size.width,
          .complete = head.complete,
          .unread = head.runs ? "a BMP file with run-length coding" : ""};
}

ImageHeader read_webp(Bytes bytes) {
  const ImageSize size = webp_size(bytes);
  ImageHeader header{.format = ImageFormat::kWebp, .height = size.height, .width = size.width};
  header.complete = static_cast<std::size_t>(little_endian(bytes, 4, 4)) + 8 <= bytes.size();
  bool moves = false;
  Index frames = 0;
  for (std::size_t at = 12; at + 8 <= bytes.size();) {
    const std::size_t length = little_endian(bytes, at + 4, 4), data = at + 8;
    if (has(bytes, at, "VP8X")) moves = (little_endian(bytes, data, 1) & 2U) != 0;
    if (has(bytes, at, "ANMF")) ++frames;
    if (has(bytes, at, "EXIF")) header.orientation = exif_orientation(from(bytes, data, length));
    at = data + length + length % 2;
  }
  if (moves) header.pictures = std::max<Index>(frames, 1);
  return header;
}

ImageHeader read_tiff(Bytes bytes) {
  const TiffHead head = tiff_head(bytes);
  return {.format = ImageFormat::kTiff,
          .height = head.size.height,
          .width = head.size.width,
          .orientation = head.orientation,
          .bits = head.bits,
          .pictures = head.pages};
}

// Classic and big files, in both byte orders.
bool is_tiff(Bytes bytes) {
  for (const char* mark : {"II*\0", "MM\0*", "II+\0", "MM\0+"})
    if (has(bytes, 0, std::string_view(mark, 4))) return true;
  return false;
}

ImageFormat format_of(Bytes bytes) {
  if (has(bytes, 0, "\xFF\xD8\xFF")) return ImageFormat::kJpeg;
  if (has(bytes, 0, "\x89PNG\r\n\x1A\n")) return ImageFormat::kPng;
  if (has(bytes, 0, "BM")) return ImageFormat::kBmp;
  if (has(bytes, 0, "RIFF") && has(bytes, 8, "WEBP")) return ImageFormat::kWebp;
  return is_tiff(bytes) ? ImageFormat::kTiff : ImageFormat::kUnknown;
}

// Whether the bytes begin, behind white space, with `mark` (in small letters), in upper or lower
// case.
bool begins_with_text(Bytes bytes, std::string_view mark) {
  std::size_t at = has(bytes, 0, "\xEF\xBB\xBF") ? 3 : 0;
  while (at < bytes.size() && std::isspace(bytes[at]) != 0) ++at;
  if (bytes.size() - std::min(at, bytes.size()) < mark.size()) return false;
  return std::equal(mark.begin(), mark.end(), bytes.begin() + static_cast<std::ptrdiff_t>(at),
                    [](char want, std::uint8_t got) { return std::tolower(got) == want; });
}

}  // namespace

ImageHeader read_image_header(std::span<const std::uint8_t> bytes) {
  switch (format_of(bytes)) {
    case ImageFormat::kJpeg:
      return read_jpeg(bytes);
    case ImageFormat::kPng:
      return read_png(bytes);
    case ImageFormat::kBmp:
      return read_bmp(bytes);
    case ImageFormat::kWebp:
      return read_webp(bytes);
    case ImageFormat::kTiff:
      return read_tiff(bytes);
    case ImageFormat::kUnknown:
      break;
  }
  return {};
}

bool begins_as_image(std::span<const std::uint8_t> bytes) {
  const ImageFormat format = format_of(bytes);
  // Texts may begin with BM, too; a bitmap has zeros behind its size.
  if (format == ImageFormat::kBmp) return bytes.size() >= 10 && little_endian(bytes, 6, 4) == 0;
  return format != ImageFormat::kUnknown;
}

std::string text_damage(std::span<const std::uint8_t> bytes) {
  // What becomes of a PNG file's first bytes, which are there to show it.
  struct Mark {
    std::string_view bytes, change;
  };
  constexpr Mark kMarks[] = {
      {"\x89PNG\r\r\n", "LF became CR LF"},   {"\x89PNG\r\n\x1A\r\n", "LF became CR LF"},
      {"\x89PNG\n\x1A\n", "CR LF became LF"}, {"\x89PNG\n\n", "CR became LF"},
      {"\x89PNG\r\x1A", "CR LF became CR"},   {"\x89PNG\r\r\x1A", "LF became CR"},
      {"\x89PNG\x1A", "they were left out"}};
  for (const Mark& mark : kMarks)
    if (has(bytes, 0, mark.bytes))
      return "was a PNG and was transferred as text: its line ends were changed (" +
             std::string(mark.change) + ")";
  if (has(bytes, 0, "\tPNG\r\n"))
    return "was a PNG and was transferred as text of 7 bits, without the eighth of each byte";
  // Bytes above 127 that were taken for characters: of Latin, or for none.
  constexpr std::string_view kNone = "\xEF\xBF\xBD";
  for (const std::string_view begin :
       {std::string_view("\xC2\x89PNG"), std::string_view("\xC3\xBF\xC3\x98\xC3\xBF")})
    if (has(bytes, 0, begin)) return "was a picture and was written again as text in UTF-8";
  if (has(bytes, 0, kNone) &&
      (has(bytes, 3, "PNG") || (has(bytes, 3, kNone) && has(bytes, 6, kNone))))
    return "was a picture and was written again as text in UTF-8";
  return "";
}

std::string_view foreign_kind(std::span<const std::uint8_t> bytes) {
  if (has(bytes, 4, "ftyp")) {
    for (const char* brand : {"avif", "avis"})
      if (has(bytes, 8, brand)) return "an AVIF picture";
    for (const char* brand : {"heic", "heix", "hevc", "heim", "heis", "mif1", "msf1"})
      if (has(bytes, 8, brand)) return "a HEIC picture";
    if (has(bytes, 8, "crx ")) return "a raw picture of a camera";
    return "a video";
  }
  struct Mark {
    std::string_view bytes, kind;
  };
  constexpr Mark kMarks[] = {{"GIF8", "a GIF picture"},
                             {"\xFF\x0A", "a JPEG XL picture"},
                             {{"\0\0\0\x0CJXL ", 8}, "a JPEG XL picture"},
                             {{"\0\0\0\x0CjP  ", 8}, "a JPEG 2000 picture"},
                             {"8BPS", "a Photoshop file"},
                             {"%PDF", "a PDF file"},
                             {"PK\x03\x04", "a ZIP file"},
                             {"\x1F\x8B", "a file that gzip has compressed"}};
  for (const Mark& mark : kMarks)
    if (has(bytes, 0, mark.bytes)) return mark.kind;
  for (const char* mark : {"<!doctype html", "<html", "<head", "<body"})
    if (begins_with_text(bytes, mark)) return "a web page";
  for (const char* mark : {"<svg", "<?xml"})
    if (begins_with_text(bytes, mark)) return "an SVG or another XML file";
  if (begins_with_text(bytes, "version https://git-lfs")) return "a pointer of git-lfs";
  for (const char* mark : {"{\"", "{\n", "{\r\n", "{}", "[{", "[\"", "[\n"})
    if (begins_with_text(bytes, mark)) return "a JSON text";
  return "";
}

}  // namespace saccade

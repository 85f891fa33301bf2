#include "vision/images/decode_tiff.h"

#include <tiffio.h>

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <opencv2/core.hpp>
#include <vector>

namespace saccade {

namespace {

constexpr Index kSpareBytes = 16 << 20, kBytesPerPixel = 8;  // four samples of 16 bits

// The file as libtiff reads it, and the first thing that libtiff says.
struct TiffSource {
  std::span<const std::uint8_t> bytes;
  std::size_t at = 0;
  std::array<char, 256> text{};  // "" without a complaint

  static TiffSource& of(thandle_t handle) { return *static_cast<TiffSource*>(handle); }
};

tmsize_t read_some(thandle_t handle, void* to, tmsize_t count) {
  TiffSource& source = TiffSource::of(handle);
  const std::size_t left = source.bytes.size() - std::min(source.at, source.bytes.size());
  const std::size_t taken = std::min(left, static_cast<std::size_t>(std::max<tmsize_t>(count, 0)));
  if (taken > 0) std::memcpy(to, source.bytes.data() + source.at, taken);
  source.at += taken;
  return static_cast<tmsize_t>(taken);
}

tmsize_t write_nothing(thandle_t, void*, tmsize_t) { return 0; }

toff_t seek(thandle_t handle, toff_t offset, int whence) {
  TiffSource& source = TiffSource::of(handle);
  const toff_t base = whence == SEEK_CUR ? source.at : whence == SEEK_END ? source.bytes.size() : 0;
  return source.at = base + offset;
}

int leave_open(thandle_t) { return 0; }
toff_t size_of(thandle_t handle) { return TiffSource::of(handle).bytes.size(); }
int map_nothing(thandle_t, void**, toff_t*) { return 0; }
void unmap_nothing(thandle_t, void*, toff_t) {}

// Warnings are about tags; they say nothing of the pixels.
int pass_over(TIFF*, void*, const char*, const char*, va_list) { return 1; }
int keep_first(TIFF*, void* user, const char*, const char* format, va_list values) {
  auto& source = *static_cast<TiffSource*>(user);
  if (source.text[0] == '\0')
    std::vsnprintf(source.text.data(), source.text.size(), format, values);
  return 1;
}

using OpenTiff = std::unique_ptr<TIFF, decltype(&TIFFClose)>;

// Null where there is no directory. No block of memory is larger than `most` bytes.
OpenTiff open_tiff(TiffSource& source, Index most) {
  const std::unique_ptr<TIFFOpenOptions, decltype(&TIFFOpenOptionsFree)> options(
      TIFFOpenOptionsAlloc(), &TIFFOpenOptionsFree);
  if (!options) throw std::bad_alloc();
  TIFFOpenOptionsSetMaxSingleMemAlloc(options.get(), most);
  TIFFOpenOptionsSetErrorHandlerExtR(options.get(), keep_first, &source);
  TIFFOpenOptionsSetWarningHandlerExtR(options.get(), pass_over, &source);
  return {TIFFClientOpenExt("", "rm", &source, read_some, write_nothing, seek, leave_open, size_of,
                            map_nothing, unmap_nothing, options.get()),
          &TIFFClose};
}

TiffHead head_of(TIFF* tiff) {
  std::uint32_t width = 0, height = 0;
  std::uint16_t orientation = 1, bits = 1;
  TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &width);
  TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &height);
  TIFFGetFieldDefaulted(tiff, TIFFTAG_ORIENTATION, &orientation);
  TIFFGetFieldDefaulted(tiff, TIFFTAG_BITSPERSAMPLE, &bits);
  return {.size = {height, width},
          .orientation = orientation >= 1 && orientation <= 8 ? orientation : 1,
          .bits = bits};
}

// Smaller copies of a page, and masks, are none.
bool is_page(TIFF* tiff) {
  std::uint32_t kind = 0;
  TIFFGetFieldDefaulted(tiff, TIFFTAG_SUBFILETYPE, &kind);
  return (kind & (FILETYPE_REDUCEDIMAGE | FILETYPE_MASK)) == 0;
}

// The bytes of a strip or tile, which libtiff decodes as a whole; 0 where they are more than
// `most`, or where all tiles together are much more than that.
std::size_t block_bytes(TIFF* tiff, Index most) {
  const bool tiled = TIFFIsTiled(tiff) != 0;
  const std::uint64_t bytes = tiled ? TIFFTileSize64(tiff) : TIFFStripSize64(tiff);
  if (bytes == 0 || bytes > static_cast<std::uint64_t>(most)) return 0;
  if (tiled && TIFFNumberOfTiles(tiff) > static_cast<std::uint64_t>(8 * most) / bytes) return 0;
  return bytes;
}

// libtiff does not say why it had no memory, so it is asked for before.
void require_memory(std::size_t bytes) {
  const std::unique_ptr<void, decltype(&std::free)> block(std::malloc(bytes), &std::free);
  if (!block) throw std::bad_alloc();
}

// Red, green and blue are premultiplied by alpha.
cv::Mat raster_on_white(const std::vector<std::uint32_t>& raster, int height, int width) {
  cv::Mat out(height, width, CV_8UC3);
  const std::uint32_t* from = raster.data();
  for (int y = 0; y < height; ++y) {
    std::uint8_t* to = out.ptr<std::uint8_t>(y);
    for (int x = 0; x < width; ++x, ++from, to += 3) {
      const std::uint32_t white = 255 - TIFFGetA(*from);
      to[0] = static_cast<std::uint8_t>(std::min(255U, TIFFGetB(*from) + white));
      to[1] = static_cast<std::uint8_t>(std::min(255U, TIFFGetG(*from) + white));
      to[2] = static_cast<std::uint8_t>(std::min(255U, TIFFGetR(*from) + white));
    }
  }
  return out;
}

}  // namespace

TiffHead tiff_head(std::span<const std::uint8_t> bytes) {
  TiffSource source{.bytes = bytes};
  const OpenTiff tiff = open_tiff(source, kSpareBytes);
  if (!tiff) return {};
  TiffHead head = head_of(tiff.get());
  while (head.pages < kMostPages && TIFFReadDirectory(tiff.get()) != 0)
    if (is_page(tiff.get())) ++head.pages;
  return head;
}

cv::Mat decode_tiff(std::span<const std::uint8_t> bytes, const ImageSize& size,
                    std::optional<std::string>& complaint) {
  TiffSource source{.bytes = bytes};
  const Index most = size.height * size.width * kBytesPerPixel + kSpareBytes;
  const OpenTiff tiff = open_tiff(source, most);
  const auto refuse = [&](const char* text) {
    complaint = text;
    return cv::Mat();
  };
  if (!tiff) return refuse(source.text.data());
  const TiffHead head = head_of(tiff.get());
  if (head.size.height != size.height || head.size.width != size.width) return {};
  const std::size_t block = block_bytes(tiff.get(), most);
  if (block == 0) return refuse("its tiles or strips are larger than the picture");
  std::vector<std::uint32_t> raster(static_cast<std::size_t>(size.height * size.width));
  require_memory(block);
  TIFFRGBAImage image;
  std::array<char, 1024> text{};
  if (TIFFRGBAImageOK(tiff.get(), text.data()) == 0 ||
      TIFFRGBAImageBegin(&image, tiff.get(), 1, text.data()) == 0)
    return refuse(text.data());
  image.req_orientation = image.orientation;  // rows stay in the order of the file
  const bool whole = TIFFRGBAImageGet(&image, raster.data(), static_cast<std::uint32_t>(size.width),
                                      static_cast<std::uint32_t>(size.height)) != 0;
  TIFFRGBAImageEnd(&image);
  if (source.text[0] != '\0') complaint = source.text.data();
  if (!whole) return {};
  return raster_on_white(raster, static_cast<int>(size.height), static_cast<int>(size.width));
}

}  // namespace saccade

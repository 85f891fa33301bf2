#include "vision/images/decode_png.h"

#include <png.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <new>
#include <opencv2/core.hpp>
#include <vector>

namespace saccade {

namespace {

// What libpng reads from, and what it says. It must not meet exceptions, so errors jump back, over
// functions without destructors.
struct Source {
  std::span<const std::uint8_t> rest;
  std::array<char, 256> text{};  // the first complaint; "" without any
  bool whole = false;            // whether everything was read
  bool no_memory = false;
};

png_voidp allocate(png_structp png, png_alloc_size_t bytes) {
  void* block = std::malloc(bytes);
  if (block == nullptr) static_cast<Source*>(png_get_mem_ptr(png))->no_memory = true;
  return block;
}

void release(png_structp, png_voidp block) { std::free(block); }

void note(Source& source, const char* text) {
  if (source.text[0] == '\0') std::strncpy(source.text.data(), text, source.text.size() - 1);
}

void on_error(png_structp png, const char* text) {
  note(*static_cast<Source*>(png_get_error_ptr(png)), text);
  png_longjmp(png, 1);
}

void on_warning(png_structp png, const char* text) {
  note(*static_cast<Source*>(png_get_error_ptr(png)), text);
}

void read_bytes(png_structp png, png_bytep to, std::size_t count) {
  auto& source = *static_cast<Source*>(png_get_io_ptr(png));
  if (count > source.rest.size()) png_error(png, "the file ends early");
  std::memcpy(to, source.rest.data(), count);
  source.rest = source.rest.subspan(count);
}

// Reads into `out`, by way of `rows`; whether everything was read is in `source`.
void read(png_structp png, png_infop info, Source& source, const ImageSize& size,
          std::vector<png_bytep>& rows, cv::Mat& out) {
  if (setjmp(png_jmpbuf(png)) != 0) return;  // NOLINT: libpng's way
  png_set_read_fn(png, &source, read_bytes);
  png_read_info(png, info);
  const png_uint_32 height = png_get_image_height(png, info),
                    width = png_get_image_width(png, info);
  if (height != size.height || width != size.width) return;
  const int bits = png_get_bit_depth(png, info), kind = png_get_color_type(png, info);
  const bool coloured = (kind & PNG_COLOR_MASK_COLOR) != 0;
  // Transparency counts beside colours, and not beside grey without an alpha channel.
  const bool clear = (kind & PNG_COLOR_MASK_ALPHA) != 0 ||
                     (coloured && png_get_valid(png, info, PNG_INFO_tRNS) != 0);
  const int channels = clear ? 4 : coloured ? 3 : 1;
  if (bits == 16 && std::endian::native == std::endian::little) png_set_swap(png);
  if (clear)
    png_set_tRNS_to_alpha(png);
  else
    png_set_strip_alpha(png);
  if (kind == PNG_COLOR_TYPE_PALETTE) png_set_palette_to_rgb(png);
  if (!coloured && bits < 8) png_set_expand_gray_1_2_4_to_8(png);
  if (coloured) png_set_bgr(png);
  if (!coloured && clear) png_set_gray_to_rgb(png);
  png_set_interlace_handling(png);
  png_read_update_info(png, info);
  out.create(static_cast<int>(height), static_cast<int>(width),
             CV_MAKETYPE(bits == 16 ? CV_16U : CV_8U, channels));
  if (png_get_rowbytes(png, info) != out.cols * out.elemSize()) png_error(png, "unknown rows");
  rows.resize(height);
  for (png_uint_32 y = 0; y < height; ++y) rows[y] = out.ptr<std::uint8_t>(static_cast<int>(y));
  png_read_image(png, rows.data());
  png_read_end(png, nullptr);
  source.whole = true;
}

}  // namespace

cv::Mat decode_png(std::span<const std::uint8_t> bytes, const ImageSize& size,
                   std::optional<std::string>& complaint) {
  Source source{.rest = bytes};
  png_structp png = png_create_read_struct_2(PNG_LIBPNG_VER_STRING, &source, on_error, on_warning,
                                             &source, allocate, release);
  if (png == nullptr) throw std::bad_alloc();
  png_infop info = png_create_info_struct(png);
  std::vector<png_bytep> rows;
  cv::Mat out;
  try {
    if (info == nullptr) throw std::bad_alloc();
    read(png, info, source, size, rows, out);
  } catch (...) {
    png_destroy_read_struct(&png, &info, nullptr);
    throw;
  }
  png_destroy_read_struct(&png, &info, nullptr);
  if (source.no_memory) throw std::bad_alloc();
  if (source.text[0] != '\0') complaint = source.text.data();
  return source.whole ? out : cv::Mat();
}

}  // namespace saccade

#include "vision/images/png_codec.h"

#include <png.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <new>
#include <opencv2/core.hpp>
#include <utility>
#include <vector>

#include "core/base/error.h"

namespace saccade {

namespace {

// What libpng reads from or writes to, and what it says. It must not meet exceptions, so errors
// jump back, over functions without destructors.
struct PngFile {
  std::span<const std::uint8_t> rest{};
  std::vector<std::uint8_t> written{};
  std::array<char, 256> text{};  // the first complaint; "" without any
  bool whole = false;            // whether everything was read or written
  bool no_memory = false;
};

png_voidp allocate(png_structp png, png_alloc_size_t bytes) {
  void* block = std::malloc(bytes);
  if (block == nullptr) static_cast<PngFile*>(png_get_mem_ptr(png))->no_memory = true;
  return block;
}

void release(png_structp, png_voidp block) { std::free(block); }

void note(PngFile& file, const char* text) {
  if (file.text[0] == '\0') std::strncpy(file.text.data(), text, file.text.size() - 1);
}

void on_error(png_structp png, const char* text) {
  note(*static_cast<PngFile*>(png_get_error_ptr(png)), text);
  png_longjmp(png, 1);
}

void on_warning(png_structp png, const char* text) {
  note(*static_cast<PngFile*>(png_get_error_ptr(png)), text);
}

void read_bytes(png_structp png, png_bytep to, std::size_t count) {
  auto& file = *static_cast<PngFile*>(png_get_io_ptr(png));
  if (count > file.rest.size()) png_error(png, "the file ends early");
  std::memcpy(to, file.rest.data(), count);
  file.rest = file.rest.subspan(count);
}

void write_bytes(png_structp png, png_bytep from, std::size_t count) {
  auto& file = *static_cast<PngFile*>(png_get_io_ptr(png));
  try {
    file.written.insert(file.written.end(), from, from + count);
  } catch (const std::bad_alloc&) {
    file.no_memory = true;
  }
  if (file.no_memory) png_error(png, "no memory");
}

// Reads into `out`, by way of `rows`; whether everything was read is in `file`.
void read(png_structp png, png_infop info, PngFile& file, const ImageSize& size,
          std::vector<png_bytep>& rows, cv::Mat& out) {
  if (setjmp(png_jmpbuf(png)) != 0) return;  // NOLINT: libpng's way
  png_set_read_fn(png, &file, read_bytes);
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
  file.whole = true;
}

// Writes the rows; whether everything was written is in `file`. The level, the filter and the
// strategy are the fast ones that OpenCV chooses.
void write(png_structp png, png_infop info, PngFile& file, std::span<const std::uint8_t> samples,
           const ImageSize& size, int channels) {
  if (setjmp(png_jmpbuf(png)) != 0) return;  // NOLINT: libpng's way
  png_set_write_fn(png, &file, write_bytes, nullptr);
  png_set_filter(png, PNG_FILTER_TYPE_BASE, PNG_FILTER_SUB);
  png_set_compression_level(png, Z_BEST_SPEED);
  png_set_compression_strategy(png, Z_RLE);
  png_set_IHDR(png, info, static_cast<png_uint_32>(size.width),
               static_cast<png_uint_32>(size.height), 8,
               channels == 4 ? PNG_COLOR_TYPE_RGB_ALPHA : PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_write_info(png, info);
  const std::size_t row = samples.size() / static_cast<std::size_t>(size.height);
  for (std::size_t at = 0; at < samples.size(); at += row) png_write_row(png, samples.data() + at);
  png_write_end(png, info);
  file.whole = true;
}

}  // namespace

cv::Mat decode_png(std::span<const std::uint8_t> bytes, const ImageSize& size,
                   std::optional<std::string>& complaint) {
  PngFile file{.rest = bytes};
  png_structp png = png_create_read_struct_2(PNG_LIBPNG_VER_STRING, &file, on_error, on_warning,
                                             &file, allocate, release);
  if (png == nullptr) throw std::bad_alloc();
  png_infop info = png_create_info_struct(png);
  std::vector<png_bytep> rows;
  cv::Mat out;
  try {
    if (info == nullptr) throw std::bad_alloc();
    read(png, info, file, size, rows, out);
  } catch (...) {
    png_destroy_read_struct(&png, &info, nullptr);
    throw;
  }
  png_destroy_read_struct(&png, &info, nullptr);
  if (file.no_memory) throw std::bad_alloc();
  if (file.text[0] != '\0') complaint = file.text.data();
  return file.whole ? out : cv::Mat();
}

std::vector<std::uint8_t> encode_png(std::span<const std::uint8_t> samples, const ImageSize& size,
                                     int channels) {
  SACCADE_CHECK(!samples.empty() && std::ssize(samples) == size.height * size.width * channels,
                "[encode_png] samples do not fit ", size.height, "x", size.width, "x", channels);
  PngFile file;
  png_structp png = png_create_write_struct_2(PNG_LIBPNG_VER_STRING, &file, on_error, on_warning,
                                              &file, allocate, release);
  if (png == nullptr) throw std::bad_alloc();
  png_infop info = png_create_info_struct(png);
  if (info != nullptr) write(png, info, file, samples, size, channels);
  png_destroy_write_struct(&png, &info);
  if (file.no_memory) throw std::bad_alloc();
  if (!file.whole)
    throw DataError(str("a picture of ", size.width, "x", size.height,
                        " pixels cannot be written as PNG (", file.text.data(),
                        "); make it smaller"));
  return std::move(file.written);
}

}  // namespace saccade

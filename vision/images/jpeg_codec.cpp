#include "vision/images/jpeg_codec.h"

// jpeglib.h needs FILE and std::size_t in front of it.
// clang-format off
#include <cstddef>
#include <cstdio>
#include <jpeglib.h>
#include <jerror.h>
// clang-format on

#include <algorithm>
#include <array>
#include <csetjmp>
#include <new>
#include <opencv2/core.hpp>
#include <utility>

#include "core/base/error.h"

namespace saccade {

namespace {

constexpr int kMostScans = 100;  // progressive files have about ten

// What libjpeg calls instead of printing and ending the process. It must not meet exceptions, so
// errors jump back, over functions without destructors.
struct Errors {
  jpeg_error_mgr manager{};  // first: libjpeg knows only this part
  jpeg_progress_mgr progress{};
  std::jmp_buf back{};
  std::array<char, JMSG_LENGTH_MAX> text{};  // the first complaint; "" without any
  bool whole = false;                        // whether all rows were read or written
  bool no_memory = false;
};

void note(j_common_ptr info) {
  auto& errors = *reinterpret_cast<Errors*>(info->err);
  if (errors.text[0] == '\0') info->err->format_message(info, errors.text.data());
}

void on_error(j_common_ptr info) {
  note(info);
  auto& errors = *reinterpret_cast<Errors*>(info->err);
  errors.no_memory = info->err->msg_code == JERR_OUT_OF_MEMORY;
  std::longjmp(errors.back, 1);
}

// Levels below 0 are warnings about the data, the others traces.
void on_message(j_common_ptr info, int level) {
  if (level < 0) note(info);
}

[[noreturn]] void give_up(j_common_ptr info, const char* reason) {
  auto& errors = *reinterpret_cast<Errors*>(info->err);
  std::snprintf(errors.text.data(), errors.text.size(), "%s", reason);
  std::longjmp(errors.back, 1);
}

// The data end within the picture. libjpeg would say so, and make the rest of it grey.
boolean on_end(j_decompress_ptr info) {
  info->err->msg_code = JWRN_JPEG_EOF;
  on_error(reinterpret_cast<j_common_ptr>(info));
  return FALSE;  // it does not come to this
}

// libjpeg goes over the whole picture for every scan, however few bytes it has.
void on_progress(j_common_ptr info) {
  if (reinterpret_cast<j_decompress_ptr>(info)->input_scan_number > kMostScans)
    give_up(info, "it has more scans than a picture needs");
}

// What libjpeg writes to, block by block.
struct JpegTarget {
  jpeg_destination_mgr manager{};  // first: libjpeg knows only this part
  std::array<JOCTET, 1 << 14> block{};
  std::vector<std::uint8_t> written{};
};

void begin_block(j_compress_ptr info) {
  auto& target = *reinterpret_cast<JpegTarget*>(info->dest);
  target.manager.next_output_byte = target.block.data();
  target.manager.free_in_buffer = target.block.size();
}

void keep_block(j_compress_ptr info, std::size_t count) {
  auto& target = *reinterpret_cast<JpegTarget*>(info->dest);
  bool kept = true;
  try {
    target.written.insert(target.written.end(), target.block.data(), target.block.data() + count);
  } catch (const std::bad_alloc&) {
    kept = false;
  }
  if (kept) return;
  info->err->msg_code = JERR_OUT_OF_MEMORY;
  on_error(reinterpret_cast<j_common_ptr>(info));
}

boolean on_full_block(j_compress_ptr info) {
  keep_block(info, reinterpret_cast<JpegTarget*>(info->dest)->block.size());
  begin_block(info);
  return TRUE;
}

void on_last_block(j_compress_ptr info) {
  const auto& target = *reinterpret_cast<JpegTarget*>(info->dest);
  keep_block(info, target.block.size() - target.manager.free_in_buffer);
}

// As OpenCV computes it.
void bgr_of_cmyk(const std::uint8_t* cmyk, std::uint8_t* bgr, Index count) {
  for (Index i = 0; i < count; ++i, cmyk += 4, bgr += 3) {
    const int k = cmyk[3];
    for (int c = 0; c < 3; ++c)
      bgr[2 - c] = static_cast<std::uint8_t>(k - ((255 - cmyk[c]) * k >> 8));
  }
}

void bgr_of_rgb(std::uint8_t* pixels, Index count) {
  for (Index i = 0; i < count; ++i) std::swap(pixels[3 * i], pixels[3 * i + 2]);
}

// Reads into `out`; whether all rows were read is in `errors`.
void read(jpeg_decompress_struct& info, Errors& errors, std::span<const std::uint8_t> bytes,
          const ImageSize& size, cv::Mat& out) {
  if (setjmp(errors.back) != 0) return;  // NOLINT: libjpeg's way
  jpeg_create_decompress(&info);
  info.progress = &errors.progress;
  jpeg_mem_src(&info, bytes.data(), static_cast<unsigned long>(bytes.size()));
  info.src->fill_input_buffer = on_end;
  jpeg_read_header(&info, TRUE);
  if (info.image_width != size.width || info.image_height != size.height) return;
  const bool grey = info.num_components == 1, cmyk = info.num_components == 4;
  info.out_color_space = grey ? JCS_GRAYSCALE : cmyk ? JCS_CMYK : JCS_RGB;
  jpeg_start_decompress(&info);
  out.create(static_cast<int>(info.output_height), static_cast<int>(info.output_width),
             grey ? CV_8UC1 : CV_8UC3);
  const Index width = info.output_width;
  // libjpeg frees it.
  JSAMPARRAY line = info.mem->alloc_sarray(reinterpret_cast<j_common_ptr>(&info), JPOOL_IMAGE,
                                           info.output_width * 4, 1);
  while (info.output_scanline < info.output_height) {
    std::uint8_t* row = out.ptr<std::uint8_t>(static_cast<int>(info.output_scanline));
    JSAMPROW to = cmyk ? line[0] : row;
    jpeg_read_scanlines(&info, &to, 1);
    if (cmyk) bgr_of_cmyk(to, row, width);
    if (!cmyk && !grey) bgr_of_rgb(row, width);
  }
  errors.whole = true;
  jpeg_finish_decompress(&info);  // what it finds behind the rows changes none of them
}

// Writes to `target`; whether all rows were written is in `errors`.
void write(jpeg_compress_struct& info, Errors& errors, JpegTarget& target, const Image& image,
           int quality) {
  if (setjmp(errors.back) != 0) return;  // NOLINT: libjpeg's way
  jpeg_create_compress(&info);
  info.dest = &target.manager;
  info.image_width = static_cast<JDIMENSION>(image.width);
  info.image_height = static_cast<JDIMENSION>(image.height);
  info.input_components = 3;
  info.in_color_space = JCS_RGB;
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, quality, TRUE);
  jpeg_start_compress(&info, TRUE);
  while (info.next_scanline < info.image_height) {
    auto* row = const_cast<std::uint8_t*>(image.pixel(info.next_scanline, 0));  // it is only read
    jpeg_write_scanlines(&info, &row, 1);
  }
  jpeg_finish_compress(&info);
  errors.whole = true;
}

// Has libjpeg's complaints put into `errors`, which must outlive what reads or writes.
jpeg_error_mgr* listening(Errors& errors) {
  jpeg_std_error(&errors.manager);
  errors.manager.error_exit = on_error;
  errors.manager.emit_message = on_message;
  return &errors.manager;
}

}  // namespace

cv::Mat decode_jpeg(std::span<const std::uint8_t> bytes, const ImageSize& size,
                    std::optional<std::string>& complaint) {
  Errors errors;
  jpeg_decompress_struct info{};
  info.err = listening(errors);
  errors.progress.progress_monitor = on_progress;
  cv::Mat out;
  try {
    read(info, errors, bytes, size, out);
  } catch (...) {
    jpeg_destroy_decompress(&info);
    throw;
  }
  jpeg_destroy_decompress(&info);
  if (errors.no_memory) throw std::bad_alloc();
  if (errors.text[0] != '\0') complaint = errors.text.data();
  return errors.whole ? out : cv::Mat();
}

std::vector<std::uint8_t> encode_jpeg(const Image& image, int quality) {
  Errors errors;
  JpegTarget target{.manager = {.next_output_byte = nullptr,
                                .free_in_buffer = 0,
                                .init_destination = begin_block,
                                .empty_output_buffer = on_full_block,
                                .term_destination = on_last_block}};
  jpeg_compress_struct info{};
  info.err = listening(errors);
  write(info, errors, target, image, quality);
  jpeg_destroy_compress(&info);
  if (errors.no_memory) throw std::bad_alloc();
  if (!errors.whole)
    throw DataError(str("a picture of ", image.width, "x", image.height,
                        " pixels cannot be written as JPEG (", errors.text.data(),
                        "); make it smaller"));
  return std::move(target.written);
}

}  // namespace saccade

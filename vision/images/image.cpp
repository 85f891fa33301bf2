#include "vision/images/image.h"

#include <algorithm>
#include <mutex>
#include <new>
#include <opencv2/core.hpp>
#include <opencv2/core/utils/logger.hpp>
#include <opencv2/imgproc.hpp>
#include <optional>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/base/listing.h"
#include "vision/images/decode_bmp.h"
#include "vision/images/decode_tiff.h"
#include "vision/images/decode_webp.h"
#include "vision/images/file_bytes.h"
#include "vision/images/image_header.h"
#include "vision/images/jpeg_codec.h"
#include "vision/images/mat_view.h"
#include "vision/images/png_chunks.h"
#include "vision/images/png_codec.h"

namespace saccade {

namespace {

const FileKind kImageFile{.noun = "image", .max_bytes = kMaxImageFileBytes};

// OpenCV calls it before it throws.
int tell_memory(int code, const char*, const char*, const char*, int, void*) {
  if (code == cv::Error::StsNoMem) throw std::bad_alloc();
  return 0;
}

// The stored picture, turned and mirrored by its EXIF orientation 1..8.
cv::Mat upright(const cv::Mat& stored, int orientation) {
  cv::Mat out;
  switch (orientation) {
    case 2:
      cv::flip(stored, out, 1);
      return out;
    case 3:
      cv::rotate(stored, out, cv::ROTATE_180);
      return out;
    case 4:
      cv::flip(stored, out, 0);
      return out;
    case 5:
      cv::transpose(stored, out);
      return out;
    case 6:
      cv::rotate(stored, out, cv::ROTATE_90_CLOCKWISE);
      return out;
    case 7:
      cv::transpose(stored, out);
      cv::rotate(out, out, cv::ROTATE_180);
      return out;
    case 8:
      cv::rotate(stored, out, cv::ROTATE_90_COUNTERCLOCKWISE);
      return out;
    default:
      return stored;
  }
}

// Composites BGRA bytes on white; returns BGR.
cv::Mat over_white(const cv::Mat& bgra) {
  cv::Mat out(bgra.rows, bgra.cols, CV_8UC3);
  for (int y = 0; y < bgra.rows; ++y) {
    const std::uint8_t* in = bgra.ptr<std::uint8_t>(y);
    std::uint8_t* to = out.ptr<std::uint8_t>(y);
    for (int x = 0; x < bgra.cols; ++x, in += 4, to += 3)
      for (int c = 0; c < 3; ++c)
        to[c] = static_cast<std::uint8_t>((in[c] * in[3] + 255 * (255 - in[3]) + 127) / 255);
  }
  return out;
}

// A file without its end mark, or without a size, is not always one that was cut: libjpeg says what
// it finds.
[[noreturn]] void refuse_jpeg(const ImageHeader& header, std::span<const std::uint8_t> bytes,
                              const std::string& name) {
  std::optional<std::string> complaint;
  decode_jpeg(bytes, {header.height, header.width}, complaint);
  const std::string reason = complaint ? " (" + *complaint + ")" : "";
  if (!header.complete && (!complaint || *complaint == kJpegEnds))
    throw DataError(str(name, ": is cut short", reason, "; copy the file again or remove it"));
  throw DataError(
      str(name, ": the JPEG is damaged", reason, "; copy or convert the file again, or remove it"));
}

void check_header(const ImageHeader& header, std::span<const std::uint8_t> bytes,
                  const std::string& name, Index max_pixels) {
  if (header.format == ImageFormat::kUnknown) {
    if (const std::string damage = text_damage(bytes); !damage.empty())
      throw DataError(
          str(name, ": ", damage, ", which destroys it; copy the original again, as binary data"));
    const std::string_view kind = foreign_kind(bytes);
    if (kind == "a web page" || kind == "a JSON text")
      throw DataError(str(name, ": is ", kind, " and no image; a download has failed; repeat it"));
    if (kind == "a pointer of git-lfs")
      throw DataError(
          str(name, ": is ", kind, " and no image; fetch the image itself with: git lfs pull"));
    throw DataError(str(name,
                        kind.empty() ? ": is not an image this program reads"
                                     : ": is " + std::string(kind) + ", which is not read",
                        "; convert it to JPEG or PNG (also read: BMP, WebP, TIFF)"));
  }
  if (!header.unread.empty())
    throw DataError(str(name, ": is ", header.unread, ", which is not read; convert it to PNG"));
  const bool sized = header.width > 0 && header.height > 0;
  if (header.complete && !sized && header.format != ImageFormat::kJpeg)
    throw DataError(str(name, ": the image header gives no size; copy or convert the file again"));
  const auto refuse_size = [&](Index most, const char* of) {
    throw DataError(
        str(name, ": ", header.width, "x", header.height, " pixels are more than the ", most, of));
  };
  // The sides are checked first: the product of two 32-bit numbers may overflow.
  if (std::max(header.width, header.height) > kMaxImageSide)
    refuse_size(kMaxImageSide, " a side may have; make it smaller");
  if (header.width * header.height > max_pixels)
    refuse_size(max_pixels / 1'000'000,
                " million an image may have; make it smaller, or raise data.max_megapixels");
  if (header.format == ImageFormat::kJpeg && (!header.complete || !sized))
    refuse_jpeg(header, bytes, name);
  if (!header.complete)
    throw DataError(str(name,
                        ": is cut short (the end of the image is missing); copy the file "
                        "again or remove it"));
}

// The picture as it is stored; empty where it cannot be decoded, or is not of the size that its
// header gives. `complaint` as in decode_jpeg().
cv::Mat stored_picture(std::span<const std::uint8_t> bytes, const ImageHeader& header,
                       std::optional<std::string>& complaint) {
  const ImageSize size{header.height, header.width};
  try {
    switch (header.format) {
      case ImageFormat::kJpeg:
        return decode_jpeg(bytes, size, complaint);
      case ImageFormat::kPng: {
        const std::optional<std::vector<std::uint8_t>> png = pixel_chunks(bytes);
        if (png) return decode_png(*png, size, complaint);
        complaint = "a part of it does not have the checksum that it names";
        return {};
      }
      case ImageFormat::kBmp:
        return decode_bmp(bytes, size);
      case ImageFormat::kWebp:
        return decode_webp(bytes, size, complaint);
      case ImageFormat::kTiff:
        return decode_tiff(bytes, size, complaint);
      case ImageFormat::kUnknown:
        break;
    }
  } catch (const cv::Exception&) {
  }
  return {};
}

// What the picture is of several; "" where it is the only one.
std::string among_others(const ImageHeader& header) {
  if (header.pictures < 2) return "";
  const bool pages = header.format == ImageFormat::kTiff;
  const std::string count =
      header.pictures >= kMostPages && pages ? str(kMostPages, " or more") : str(header.pictures);
  if (header.apart)
    return str("is read as the still picture in front of its ", count,
               " frames; save a frame as a file of its own if that is meant");
  const char* one = pages ? "page" : "frame";
  return str("of its ", count, " ", one, "s, the first is read; save another ", one,
             " as a file of its own if that is meant");
}

bool is_nearly_black(const Image& image) {
  const std::uint8_t brightest = *std::max_element(image.rgb.begin(), image.rgb.end());
  return brightest > 0 && brightest <= 16;  // 4095 of 65535 becomes 16 of 255
}

}  // namespace

void quiet_opencv() {
  static std::once_flag once;
  std::call_once(once, [] {
    cv::setNumThreads(1);
    cv::utils::logging::setLogLevel(cv::utils::logging::LOG_LEVEL_SILENT);
    cv::redirectError(tell_memory);
  });
}

Image::Image(Index h, Index w, std::uint8_t level) : height(h), width(w) {
  SACCADE_CHECK(h > 0 && w > 0, "[image] extents must be positive; got ", h, "x", w);
  rgb.assign(static_cast<std::size_t>(h * w * 3), level);
}

cv::Mat mat_view(Image& image) {
  return {static_cast<int>(image.height), static_cast<int>(image.width), CV_8UC3, image.rgb.data()};
}

cv::Mat mat_view(const Image& image) {
  return {static_cast<int>(image.height), static_cast<int>(image.width), CV_8UC3,
          const_cast<std::uint8_t*>(image.rgb.data())};
}

Image decode_image(std::span<const std::uint8_t> bytes, const std::string& name,
                   const MessageListener& listener, Index max_pixels) {
  quiet_opencv();
  const ImageHeader header = read_image_header(bytes);
  check_header(header, bytes, name, max_pixels);
  std::optional<std::string> complaint;
  cv::Mat mat = stored_picture(bytes, header, complaint);
  const std::string reason = complaint ? " (" + *complaint + ")" : "";
  if (mat.empty())
    throw DataError(str(name, ": the image is damaged or of an unusual kind and cannot be decoded",
                        reason, "; convert it to JPEG or PNG, or remove it"));
  std::vector<std::string> notes;  // which become one warning
  if (complaint)
    notes.push_back(str("the image may be damaged", reason,
                        "; it is taken as it was decoded; look at it, or copy the file again"));
  if (std::string others = among_others(header); !others.empty())
    notes.push_back(std::move(others));
  if (mat.depth() == CV_16U) mat.convertTo(mat, CV_8U, 1.0 / 257.0);
  if (mat.channels() == 4) mat = over_white(mat);
  mat = upright(mat, header.orientation);
  Image image(mat.rows, mat.cols);
  cv::Mat out = mat_view(image);
  cv::cvtColor(mat, out, mat.channels() == 1 ? cv::COLOR_GRAY2RGB : cv::COLOR_BGR2RGB);
  if (header.bits > 8 && is_nearly_black(image))
    notes.push_back(str("has ", header.bits,
                        " bits per channel, of which a sixteenth is used at most, so it is nearly "
                        "black; scale its values up if they have 12 bits or fewer"));
  std::string all = join(notes, "; also: ");
  if (!all.empty()) warn(listener, str(name, ": ", all));
  return image;
}

Image read_image(const std::filesystem::path& path, const MessageListener& listener,
                 Index max_pixels) {
  return decode_image(read_file_bytes(path, kImageFile), path.string(), listener, max_pixels);
}

ImageSize read_image_size(const std::filesystem::path& path, Index max_pixels) {
  const std::vector<std::uint8_t> bytes = read_file_bytes(path, kImageFile);
  const ImageHeader header = read_image_header(bytes);
  check_header(header, bytes, path.string(), max_pixels);
  // Rows and columns change places.
  const bool turned = header.orientation >= 5 && header.orientation <= 8;
  return turned ? ImageSize{header.width, header.height} : ImageSize{header.height, header.width};
}

std::vector<std::uint8_t> encode_png(const Image& image) {
  return encode_png(image.rgb, {image.height, image.width}, 3);
}

void write_png(const std::filesystem::path& path, const Image& image) {
  const std::vector<std::uint8_t> bytes = encode_png(image);
  write_file(path, std::as_bytes(std::span(bytes)));
}

}  // namespace saccade

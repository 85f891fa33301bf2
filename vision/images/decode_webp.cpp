#include "vision/images/decode_webp.h"

#include <webp/decode.h>
#include <webp/demux.h>

#include <memory>
#include <new>
#include <opencv2/core.hpp>

namespace saccade {

namespace {

using Bytes = std::span<const std::uint8_t>;

const char* words_of(VP8StatusCode status) {
  switch (status) {
    case VP8_STATUS_UNSUPPORTED_FEATURE:
      return "a feature that libwebp lacks";
    case VP8_STATUS_NOT_ENOUGH_DATA:
    case VP8_STATUS_SUSPENDED:
      return "the data end early";
    default:
      return "the data contradict themselves";
  }
}

// Decodes a picture that stands still into `out`, which has its size and type.
bool decode_still(Bytes bytes, cv::Mat& out, std::optional<std::string>& complaint) {
  WebPDecoderConfig config;
  if (WebPInitDecoderConfig(&config) == 0) return false;
  config.output.colorspace = out.channels() == 4 ? MODE_BGRA : MODE_BGR;
  config.output.is_external_memory = 1;
  config.output.u.RGBA = {.rgba = out.data,
                          .stride = static_cast<int>(out.step),
                          .size = out.step * static_cast<std::size_t>(out.rows)};
  const VP8StatusCode status = WebPDecode(bytes.data(), bytes.size(), &config);
  if (status == VP8_STATUS_OUT_OF_MEMORY) throw std::bad_alloc();
  if (status != VP8_STATUS_OK) complaint = words_of(status);
  return status == VP8_STATUS_OK;
}

cv::Mat decode_first_frame(Bytes bytes, const ImageSize& size,
                           std::optional<std::string>& complaint) {
  const WebPData data{bytes.data(), bytes.size()};
  const std::unique_ptr<WebPDemuxer, decltype(&WebPDemuxDelete)> demuxer(WebPDemux(&data),
                                                                         &WebPDemuxDelete);
  if (!demuxer) {
    complaint = "its frames cannot be told apart";
    return {};
  }
  WebPIterator found{};
  const std::unique_ptr<WebPIterator, decltype(&WebPDemuxReleaseIterator)> frame(
      &found, &WebPDemuxReleaseIterator);
  if (WebPDemuxGetFrame(demuxer.get(), 1, &found) == 0) {
    complaint = "it has no frame";
    return {};
  }
  const cv::Rect place(found.x_offset, found.y_offset, found.width, found.height);
  const auto height = static_cast<int>(size.height), width = static_cast<int>(size.width);
  if (place.empty() || (place & cv::Rect(0, 0, width, height)) != place) {
    complaint = "its first frame lies outside the picture";
    return {};
  }
  cv::Mat canvas(height, width, CV_8UC4, cv::Scalar(0, 0, 0, 0));
  cv::Mat target = canvas(place);
  const bool decoded = decode_still({found.fragment.bytes, found.fragment.size}, target, complaint);
  return decoded ? canvas : cv::Mat();
}

}  // namespace

ImageSize webp_size(std::span<const std::uint8_t> bytes) {
  WebPBitstreamFeatures features;
  if (WebPGetFeatures(bytes.data(), bytes.size(), &features) != VP8_STATUS_OK) return {};
  return {features.height, features.width};
}

cv::Mat decode_webp(std::span<const std::uint8_t> bytes, const ImageSize& size,
                    std::optional<std::string>& complaint) {
  WebPBitstreamFeatures features;
  const VP8StatusCode status = WebPGetFeatures(bytes.data(), bytes.size(), &features);
  if (status != VP8_STATUS_OK) {
    complaint = words_of(status);
    return {};
  }
  if (features.height != size.height || features.width != size.width) return {};
  if (features.has_animation != 0) return decode_first_frame(bytes, size, complaint);
  cv::Mat out(features.height, features.width, features.has_alpha != 0 ? CV_8UC4 : CV_8UC3);
  return decode_still(bytes, out, complaint) ? out : cv::Mat();
}

}  // namespace saccade

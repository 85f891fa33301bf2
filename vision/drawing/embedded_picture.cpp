#include "vision/drawing/embedded_picture.h"

#include <algorithm>
#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>

#include "vision/images/mat_view.h"
#include "vision/images/thumbnail.h"

namespace saccade {

namespace {

constexpr int kJpegQuality = 92;
constexpr std::size_t kWorthTheLoss = 3;  // how many times larger PNG must be before JPEG is used

}  // namespace

EmbeddedPicture embed(const Image& image) {
  EmbeddedPicture exact{.bytes = encode_png(image)};
  EmbeddedPicture photo{
      .jpeg = true,
      .bytes = jpeg_thumbnail(image, std::max(image.height, image.width), kJpegQuality)};
  return exact.bytes.size() < kWorthTheLoss * photo.bytes.size() ? exact : photo;
}

EmbeddedPicture embed(const Layer& layer) {
  quiet_opencv();
  const Image& colours = layer.colours;
  cv::Mat bgra(static_cast<int>(colours.height), static_cast<int>(colours.width), CV_8UC4);
  for (Index i = 0; i < colours.height * colours.width; ++i) {
    const std::uint8_t* rgb = colours.pixel(0, i);
    bgra.at<cv::Vec4b>(static_cast<int>(i / colours.width), static_cast<int>(i % colours.width)) = {
        rgb[2], rgb[1], rgb[0], layer.cover[static_cast<std::size_t>(i)]};
  }
  EmbeddedPicture out;
  cv::imencode(".png", bgra, out.bytes);
  return out;
}

}  // namespace saccade

#include "vision/images/thumbnail.h"

#include <algorithm>
#include <cmath>
#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include "core/base/error.h"
#include "vision/images/geometry.h"
#include "vision/images/mat_view.h"

namespace saccade {

std::vector<std::uint8_t> jpeg_thumbnail(const Image& image, Index longest, int quality) {
  quiet_opencv();
  SACCADE_CHECK(!image.empty() && longest > 0, "[jpeg_thumbnail] the image or its size is empty");
  const double shrink = std::min(
      1.0, static_cast<double>(longest) / static_cast<double>(std::max(image.height, image.width)));
  const auto side = [&](Index pixels) {
    return std::max<Index>(1, std::lround(static_cast<double>(pixels) * shrink));
  };
  const Image small =
      prepare(image, {.height = side(image.height), .width = side(image.width)}).image;
  cv::Mat bgr;
  cv::cvtColor(mat_view(small), bgr, cv::COLOR_RGB2BGR);
  std::vector<std::uint8_t> bytes;
  cv::imencode(".jpg", bgr, bytes, {cv::IMWRITE_JPEG_QUALITY, quality});
  return bytes;
}

}  // namespace saccade

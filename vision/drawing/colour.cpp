#include "vision/drawing/colour.h"

#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>

#include "vision/images/mat_view.h"

namespace saccade {

namespace {

std::array<Colour, 256> grey_table() {
  std::array<Colour, 256> table{};
  for (std::size_t i = 0; i < 256; ++i) table[i].fill(static_cast<std::uint8_t>(i));
  return table;
}

}  // namespace

std::array<Colour, 256> colour_table(ColourMap map) {
  quiet_opencv();
  int name = cv::COLORMAP_INFERNO;
  switch (map) {
    case ColourMap::kInferno:
      break;
    case ColourMap::kMagma:
      name = cv::COLORMAP_MAGMA;
      break;
    case ColourMap::kPlasma:
      name = cv::COLORMAP_PLASMA;
      break;
    case ColourMap::kViridis:
      name = cv::COLORMAP_VIRIDIS;
      break;
    case ColourMap::kCividis:
      name = cv::COLORMAP_CIVIDIS;
      break;
    case ColourMap::kGrey:
      return grey_table();
  }
  cv::Mat ramp(1, 256, CV_8UC1), bgr;
  for (int i = 0; i < 256; ++i) ramp.at<std::uint8_t>(i) = static_cast<std::uint8_t>(i);
  cv::applyColorMap(ramp, bgr, name);
  std::array<Colour, 256> table{};
  for (int i = 0; i < 256; ++i) {
    const auto& colour = bgr.at<cv::Vec3b>(i);
    table[static_cast<std::size_t>(i)] = {colour[2], colour[1], colour[0]};
  }
  return table;
}

}  // namespace saccade

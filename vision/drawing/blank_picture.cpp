#include "vision/drawing/blank_picture.h"

#include <algorithm>
#include <cmath>

#include "vision/drawing/text_painter.h"
#include "vision/drawing/time_axis.h"

namespace saccade {

namespace {

constexpr std::uint8_t kBlank = 245;
constexpr Colour kEdgeColour{205, 205, 205}, kWordColour{150, 150, 150};
constexpr Index kSmallestLetters = 8;  // in pixels

void draw_edges(Image& image, const RegionBox& box) {
  const auto pixel = [](float share, Index extent) {
    const auto place = static_cast<Index>(std::lround(share * static_cast<float>(extent)));
    return std::clamp<Index>(place, 0, extent - 1);
  };
  const Index left = pixel(box.left, image.width), right = pixel(box.right, image.width),
              top = pixel(box.top, image.height), bottom = pixel(box.bottom, image.height);
  const auto dot = [&](Index y, Index x) {
    std::copy(kEdgeColour.begin(), kEdgeColour.end(), image.pixel(y, x));
  };
  for (Index x = left; x <= right; ++x) {
    dot(top, x);
    dot(bottom, x);
  }
  for (Index y = top; y <= bottom; ++y) {
    dot(y, left);
    dot(y, right);
  }
}

}  // namespace

Image blank_picture(const Geometry& geometry) {
  if (lacks_pictures(geometry)) return draw_time_axis(geometry);
  Image out(geometry.original_height, geometry.original_width, kBlank);
  if (geometry.places)
    for (const RegionBox& box : geometry.places->boxes) draw_edges(out, box);
  const TextPainter painter({});
  const Index size = std::min(out.height, out.width) / 18;
  const std::string text = "no picture";
  if (size >= kSmallestLetters && painter.width(text, size) + size <= out.width)
    painter.draw(out, text,
                 {.x = size / 2, .y = 3 * size / 2, .size = size, .colour = kWordColour});
  return out;
}

}  // namespace saccade

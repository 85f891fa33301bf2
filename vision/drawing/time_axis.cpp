#include "vision/drawing/time_axis.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "vision/drawing/text_painter.h"

namespace saccade {

namespace {

constexpr std::uint8_t kPaper = 250;
constexpr Colour kAxisColour{120, 120, 120};
constexpr double kMargin = 0.02;  // on both sides, of the width

// "0.25 s", with at most two decimals.
std::string seconds_text(float time) {
  return str(std::round(static_cast<double>(time) * 100) / 100, " s");
}

}  // namespace

double place_on_axis(const RegionBoxes& frames, Index frame) {
  const auto last = static_cast<std::size_t>(std::max<Index>(frames.count - 1, 0));
  double share = 0.5;
  if (last > 0) share = static_cast<double>(frame) / static_cast<double>(last);
  if (last > 0 && !frames.times.empty()) {
    const float begin = frames.times.front(), end = frames.times[last];
    share = static_cast<double>((frames.times[static_cast<std::size_t>(frame)] - begin) /
                                (end - begin));
  }
  return kMargin + (1 - 2 * kMargin) * share;
}

Image draw_time_axis(const Geometry& geometry) {
  SACCADE_CHECK(geometry.places && geometry.places->in_time, "[time_axis] there are no frames");
  const RegionBoxes& frames = *geometry.places;
  const Index height = geometry.original_height, width = geometry.original_width;
  Image out(height, width, kPaper);
  const auto foot =
      static_cast<Index>(std::lround((1 - kTimeAxisFoot) * static_cast<double>(height)));
  const auto dot = [&](Index y, Index x) {
    std::copy(kAxisColour.begin(), kAxisColour.end(), out.pixel(y, x));
  };
  for (Index x = 0; x < width; ++x) dot(foot, x);
  const auto x_of = [&](Index frame) {
    return static_cast<Index>(
        std::lround(place_on_axis(frames, frame) * static_cast<double>(width)));
  };
  const Index tick = std::max<Index>(2, height / 40), last = std::max<Index>(frames.count - 1, 0);
  // Ticks that would run into each other are left out.
  const Index every = std::max<Index>(1, frames.count * 4 / width);
  for (Index frame = 0; frame <= last; frame += every)
    for (Index y = foot; y < foot + tick; ++y) dot(y, std::min(width - 1, x_of(frame)));
  const TextPainter painter({});
  const Index size = std::max<Index>(8, (height - foot) * 3 / 5);
  const auto label = [&](Index frame) {
    return frames.times.empty() ? str("frame ", frame)
                                : seconds_text(frames.times[static_cast<std::size_t>(frame)]);
  };
  const Index baseline = height - (height - foot - tick - size * 2 / 3) / 2 - 1;
  painter.draw(out, label(0), {.x = x_of(0), .y = baseline, .size = size, .colour = kAxisColour});
  if (last == 0) return out;
  const std::string end = label(last);
  painter.draw(out, end,
               {.x = x_of(last) - painter.width(end, size),
                .y = baseline,
                .size = size,
                .colour = kAxisColour});
  return out;
}

Loop time_curve(const RegionBoxes& frames, std::span<const float> heights, const PixelRect& panel) {
  const auto left = static_cast<double>(panel.x), top = static_cast<double>(panel.y);
  const auto width = static_cast<double>(panel.width);
  const double tall = (1 - kTimeAxisFoot) * static_cast<double>(panel.height);
  const auto x_of = [&](Index frame) { return left + width * place_on_axis(frames, frame); };
  Loop loop{{.x = x_of(0), .y = top + tall}};
  for (Index frame = 0; frame < frames.count; ++frame)
    loop.push_back(
        {.x = x_of(frame),
         .y = top + tall * (1 - static_cast<double>(heights[static_cast<std::size_t>(frame)]))});
  loop.push_back({.x = x_of(std::max<Index>(frames.count - 1, 0)), .y = top + tall});
  return loop;
}

}  // namespace saccade

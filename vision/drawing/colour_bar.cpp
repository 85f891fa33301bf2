#include "vision/drawing/colour_bar.h"

#include <cstdio>

namespace saccade {

namespace {

constexpr Index kBarHeight = 14;

}  // namespace

std::string shown_number(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.3g", value);
  return text.data();
}

void draw_colour_bar(Canvas& canvas, const std::array<Colour, 256>& colours, Index x, Index y,
                     const ColourBarText& text) {
  canvas.text(text.name, {.x = x, .y = y + kBarTextSize, .size = kBarTextSize, .colour = kSoftInk});
  y += 2 * kBarTextSize;
  for (Index i = 0; i < kColourBarWidth; ++i)
    canvas.box({x + i, y, 1, kBarHeight}, colours[static_cast<std::size_t>(i)]);
  y += kBarHeight + kBarTextSize * 5 / 4;
  const auto tick = [&](Index at, const std::string& label, Align align) {
    if (!label.empty())
      canvas.text(label,
                  {.x = at, .y = y, .size = kBarTextSize, .colour = kSoftInk, .align = align});
  };
  tick(x, "0", Align::kStart);
  tick(x + kColourBarWidth / 2, text.middle, Align::kMiddle);
  tick(x + kColourBarWidth, text.end, Align::kEnd);
}

}  // namespace saccade

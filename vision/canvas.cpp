#include "vision/canvas.h"

#include <algorithm>
#include <cstring>

namespace saccade {

void Canvas::frame(const Area& area, const Colour& colour, Index line) {
  const Index across = std::min(line, area.width), down = std::min(line, area.height);
  box({area.x, area.y, area.width, down}, colour);
  box({area.x, area.y + area.height - down, area.width, down}, colour);
  box({area.x, area.y, across, area.height}, colour);
  box({area.x + area.width - across, area.y, across, area.height}, colour);
}

PixelCanvas::PixelCanvas(Index height, Index width, const TextPainter& painter)
    : page_(height, width, 255), painter_(painter) {}

void PixelCanvas::box(const Area& area, const Colour& colour, const std::string&) {
  const Index right = std::min(area.x + area.width, page_.width);
  const Index bottom = std::min(area.y + area.height, page_.height);
  for (Index y = std::max<Index>(area.y, 0); y < bottom; ++y)
    for (Index x = std::max<Index>(area.x, 0); x < right; ++x)
      std::memcpy(page_.pixel(y, x), colour.data(), 3);
}

void PixelCanvas::text(const std::string& text, const TextAnchor& anchor) {
  if (text.empty()) return;
  const Index width = painter_.width(text, anchor.size);
  if (anchor.reading == Reading::kUp) return text_up(text, anchor, width);
  const Index shift = anchor.align == Align::kStart    ? 0
                      : anchor.align == Align::kMiddle ? width / 2
                                                       : width;
  painter_.draw(page_, text, {anchor.x - shift, anchor.y, anchor.size, anchor.colour});
}

// Drawn across on a page of its own, which is then turned; letters keep what is below them.
void PixelCanvas::text_up(const std::string& text, const TextAnchor& anchor, Index width) {
  const Index baseline = 2 * anchor.size;
  Image line(3 * anchor.size, width + anchor.size, 255);
  painter_.draw(line, text, {0, baseline, anchor.size, anchor.colour});
  const Index start = anchor.align == Align::kStart    ? anchor.y
                      : anchor.align == Align::kMiddle ? anchor.y + width / 2
                                                       : anchor.y + width;
  for (Index v = 0; v < line.height; ++v)
    for (Index u = 0; u < line.width; ++u) {
      const Index y = start - u, x = anchor.x + v - baseline;
      if (y < 0 || y >= page_.height || x < 0 || x >= page_.width) continue;
      for (int c = 0; c < 3; ++c)
        page_.pixel(y, x)[c] = std::min(page_.pixel(y, x)[c], line.pixel(v, u)[c]);
    }
}

}  // namespace saccade

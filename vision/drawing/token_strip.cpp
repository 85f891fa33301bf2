#include "vision/drawing/token_strip.h"

#include <algorithm>

#include "core/base/error.h"
#include "vision/drawing/colour.h"
#include "vision/drawing/text_painter.h"

namespace saccade {

namespace {

constexpr std::uint8_t kStripPaper = 245, kStripLine = 210;

}  // namespace

Image draw_token_strip(std::span<const std::string> tokens, const StripCell& cell) {
  SACCADE_CHECK(!tokens.empty() && cell.width > 0 && cell.height > 0, "[token_strip] ",
                tokens.size(), " tokens in cells of ", cell.width, " x ", cell.height);
  Image out(cell.height, static_cast<Index>(tokens.size()) * cell.width, kStripPaper);
  for (Index y = 0; y < out.height; ++y)
    for (Index x = cell.width; x < out.width; x += cell.width)
      std::fill_n(out.rgb.begin() + (y * out.width + x) * 3, 3, kStripLine);
  const TextPainter painter({});
  const Index size = std::max<Index>(6, cell.height * 4 / 9);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const std::string text = painter.fitted(printable(tokens[i]), size, cell.width);
    const Index left = static_cast<Index>(i) * cell.width;
    painter.draw(out, text,
                 {.x = left + std::max<Index>(0, (cell.width - painter.width(text, size)) / 2),
                  .y = (cell.height + size * 2 / 3) / 2,
                  .size = size,
                  .colour = kInk});
  }
  return out;
}

}  // namespace saccade

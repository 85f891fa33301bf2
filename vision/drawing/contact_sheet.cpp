#include "vision/drawing/contact_sheet.h"

#include <algorithm>

#include "core/base/error.h"
#include "vision/drawing/colour.h"
#include "vision/drawing/text_painter.h"
#include "vision/images/geometry.h"

namespace saccade {

namespace {

constexpr Index kSide = 192;  // of the square that each picture is fitted into, in pixels
constexpr Index kSheetGap = 16, kTextSize = 13, kTextLines = 3, kLineHeight = 17;
constexpr std::uint8_t kPaper = 255;

// The picture in its own aspect ratio.
Image fitted(const Image& image) {
  const Index longest = std::max(image.height, image.width);
  SACCADE_CHECK(longest > 0, "[contact_sheet] a picture is empty");
  const auto scaled = [&](Index extent) { return std::max<Index>(1, extent * kSide / longest); };
  return prepare(image, {.height = scaled(image.height), .width = scaled(image.width)}).image;
}

void paste(Image& page, const Image& picture, Index y, Index x) {
  for (Index row = 0; row < picture.height; ++row)
    std::copy_n(picture.pixel(row, 0), picture.width * 3, page.pixel(y + row, x));
}

}  // namespace

Image draw_contact_sheet(std::span<const ContactTile> tiles, Index most_columns) {
  SACCADE_CHECK(!tiles.empty() && most_columns > 0,
                "[contact_sheet] needs pictures and columns; got ", tiles.size(), ", ",
                most_columns);
  const auto count = static_cast<Index>(tiles.size());
  const Index columns = std::min(most_columns, count);
  const Index rows = (count + columns - 1) / columns;
  const Index step_x = kSide + kSheetGap;
  const Index step_y = kSide + kSheetGap + kTextLines * kLineHeight;
  Image page(rows * step_y + kSheetGap, columns * step_x + kSheetGap, kPaper);
  const TextPainter painter({});
  for (Index i = 0; i < count; ++i) {
    const ContactTile& tile = tiles[static_cast<std::size_t>(i)];
    const Index x = kSheetGap + i % columns * step_x;
    Index y = kSheetGap + i / columns * step_y;
    const Image picture = fitted(tile.image);
    paste(page, picture, y, x);
    y += picture.height;
    for (const std::string& line :
         painter.wrapped(printable(tile.text),
                         {.size = kTextSize, .max_width = kSide, .max_lines = kTextLines})) {
      y += kLineHeight;
      painter.draw(page, line, {.x = x, .y = y, .size = kTextSize, .colour = kInk});
    }
  }
  return page;
}

}  // namespace saccade

#include "vision/drawing/grid_maps.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "vision/drawing/canvas.h"
#include "vision/drawing/colour_bar.h"
#include "vision/drawing/overlay.h"

namespace saccade {

namespace {

constexpr Index kGridTitleSize = 16, kGridNameSize = 14;
constexpr Index kGridMargin = 16, kGridGap = 16;
constexpr Index kGridSide = 168;  // pixels of the longer side, about
constexpr Index kSmallestCell = 4, kLargestCell = 40;
constexpr Index kWidestRow = 1200;  // of grids side by side
constexpr Index kNarrowestPage = 480;

class GridMapsDrawing {
 public:
  GridMapsDrawing(const GridMaps& maps, ColourMap colours, const std::filesystem::path& font)
      : maps_(maps), text_(font), colours_(colour_table(colours)) {
    for (const float value : maps.values) largest_ = std::max(largest_, static_cast<double>(value));
    const GridSize& grid = maps.grid;
    cell_ =
        std::clamp<Index>(kGridSide / std::max(grid.rows, grid.cols), kSmallestCell, kLargestCell);
    step_x_ = grid.cols * cell_;
    for (const std::string& name : maps.names)
      step_x_ = std::max(step_x_, text_.width(printable(name), kGridNameSize));
    step_x_ += kGridGap;
    step_y_ = grid.rows * cell_ + kGridNameSize * 3 / 2 + kGridGap;
    const auto count = static_cast<Index>(maps.names.size());
    across_ = std::clamp<Index>(kWidestRow / step_x_, 1, count);
    width_ = std::max(kNarrowestPage, across_ * step_x_ - kGridGap + 2 * kGridMargin);
    title_ = text_.wrapped(
        printable(maps.title),
        {.size = kGridTitleSize, .max_width = width_ - 2 * kGridMargin, .max_lines = 2});
    top_ = kGridMargin + static_cast<Index>(title_.size()) * title_step();
    height_ = top_ + (count + across_ - 1) / across_ * step_y_ + kColourBarHeight + kGridMargin;
    if (height_ * width_ > kMaxSheetPixels)
      throw DataError(str(count, " grids of ", grid.rows, " x ", grid.cols,
                          " regions are too large to be drawn"));
  }

  Index height() const { return height_; }
  Index width() const { return width_; }
  const TextPainter& painter() const { return text_; }

  void draw(Canvas& canvas) const {
    Index y = kGridMargin;
    for (const std::string& line : title_) {
      canvas.text(
          line,
          {.x = kGridMargin, .y = y + kGridTitleSize, .size = kGridTitleSize, .colour = kInk});
      y += title_step();
    }
    const auto count = static_cast<Index>(maps_.names.size());
    for (Index g = 0; g < count; ++g)
      draw_grid(canvas, g, kGridMargin + g % across_ * step_x_, top_ + g / across_ * step_y_);
    draw_colour_bar(canvas, colours_, kGridMargin, height_ - kGridMargin - kColourBarHeight,
                    {.name = maps_.value_name,
                     .middle = shown_number(largest_ / 2),
                     .end = shown_number(largest_)});
  }

 private:
  static Index title_step() { return kGridTitleSize * 3 / 2; }

  void draw_grid(Canvas& canvas, Index g, Index x, Index y) const {
    const std::string& name = maps_.names[static_cast<std::size_t>(g)];
    canvas.text(printable(name),
                {.x = x, .y = y + kGridNameSize, .size = kGridNameSize, .colour = kInk});
    y += kGridNameSize * 3 / 2;
    const GridSize& grid = maps_.grid;
    for (Index i = 0; i < grid.cells(); ++i) {
      const auto value =
          static_cast<double>(maps_.values[static_cast<std::size_t>(g * grid.cells() + i)]);
      if (std::isnan(value)) continue;  // the page stays white
      const double heat = largest_ > 0 ? std::clamp(value / largest_, 0.0, 1.0) : 0;
      const Index row = i / grid.cols, col = i % grid.cols;
      canvas.box({x + col * cell_, y + row * cell_, cell_, cell_},
                 {.colour = colours_[static_cast<std::size_t>(std::lround(heat * 255))]},
                 str(name, ", row ", row, ", column ", col, ": ", shown_number(value)));
    }
  }

  const GridMaps& maps_;
  TextPainter text_;
  std::array<Colour, 256> colours_;
  double largest_ = 0;
  Index cell_ = 0, step_x_ = 0, step_y_ = 0, across_ = 0;
  std::vector<std::string> title_;
  Index top_ = 0, width_ = 0, height_ = 0;
};

}  // namespace

std::string grid_maps_file(const GridMaps& maps, PictureFormat format, ColourMap colours,
                           const std::filesystem::path& font) {
  const std::size_t wanted = maps.names.size() * static_cast<std::size_t>(maps.grid.cells());
  SACCADE_CHECK(wanted > 0 && maps.values.size() == wanted, "[grid maps] ", maps.values.size(),
                " values for ", maps.names.size(), " grids of ", maps.grid.rows, " x ",
                maps.grid.cols, " regions");
  for (const float value : maps.values)
    SACCADE_CHECK(!std::isinf(value), "[grid maps] a value is infinite");
  const GridMapsDrawing drawing(maps, colours, font);
  return picture_file(
      format,
      {.height = drawing.height(), .width = drawing.width(), .title = maps.title, .font = font},
      &drawing.painter(), [&](Canvas& canvas) { drawing.draw(canvas); });
}

}  // namespace saccade

#include "vision/drawing/bar_chart.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "core/base/error.h"
#include "vision/drawing/canvas.h"

namespace saccade {

namespace {

constexpr Colour kBarColour{62, 110, 168}, kRule{214, 214, 220};
constexpr Index kChartMargin = 16, kChartTextSize = 13, kChartTitleSize = 16;
constexpr Index kPanelHeight = 120, kPanelGap = 34, kBarWidth = 56, kBarGap = 40;
constexpr Index kSmallestWidth = 420;

std::string bar_number(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.3g", value);
  return text.data();
}

class BarDrawing {
 public:
  BarDrawing(const BarChart& chart, const std::filesystem::path& font)
      : chart_(chart), text_(font) {
    const auto groups = static_cast<Index>(chart.groups.size());
    width_ = std::max(2 * kChartMargin + groups * (kBarWidth + kBarGap), kSmallestWidth);
    title_ = text_.wrapped(
        printable(chart.title),
        {.size = kChartTitleSize, .max_width = width_ - 2 * kChartMargin, .max_lines = 3});
    top_ = kChartMargin + static_cast<Index>(title_.size()) * kChartTitleSize * 3 / 2;
    height_ = top_ + static_cast<Index>(chart.panels.size()) * (kPanelHeight + kPanelGap) +
              3 * kChartTextSize + kChartMargin;
  }
  Index height() const { return height_; }
  Index width() const { return width_; }
  const TextPainter& painter() const { return text_; }

  void draw(Canvas& canvas) const {
    Index y = kChartMargin;
    for (const std::string& line : title_) {
      canvas.text(
          line,
          {.x = kChartMargin, .y = y + kChartTitleSize, .size = kChartTitleSize, .colour = kInk});
      y += kChartTitleSize * 3 / 2;
    }
    for (std::size_t p = 0; p < chart_.panels.size(); ++p)
      draw_panel(canvas, chart_.panels[p],
                 top_ + static_cast<Index>(p) * (kPanelHeight + kPanelGap));
    const Index base = height_ - kChartMargin - 2 * kChartTextSize;
    for (std::size_t g = 0; g < chart_.groups.size(); ++g)
      canvas.text(
          text_.fitted(printable(chart_.groups[g]), kChartTextSize, kBarWidth + kBarGap - 4),
          {.x = middle(g),
           .y = base,
           .size = kChartTextSize,
           .colour = kInk,
           .align = Align::kMiddle});
    canvas.text(printable(chart_.group_name), {.x = kChartMargin,
                                               .y = base + 2 * kChartTextSize,
                                               .size = kChartTextSize,
                                               .colour = kSoftInk});
  }

 private:
  static Index middle(std::size_t group) {
    return kChartMargin + static_cast<Index>(group) * (kBarWidth + kBarGap) +
           (kBarWidth + kBarGap) / 2;
  }

  void draw_panel(Canvas& canvas, const BarPanel& panel, Index top) const {
    double most = 0;
    for (const Bar& bar : panel.bars)
      for (const double value : {bar.value, bar.high})
        if (std::isfinite(value)) most = std::max(most, value);
    canvas.text(
        printable(panel.name),
        {.x = kChartMargin, .y = top + kChartTextSize, .size = kChartTextSize, .colour = kInk});
    const Index floor = top + kPanelGap / 2 + kPanelHeight;
    const auto height_of = [&](double value) {
      const double room = static_cast<double>(kPanelHeight - kPanelGap / 2 - kChartTextSize);
      return most > 0 ? static_cast<Index>(std::lround(std::max(value, 0.0) / most * room)) : 0;
    };
    canvas.box({kChartMargin, floor, width_ - 2 * kChartMargin, 1}, kRule);
    for (std::size_t g = 0; g < panel.bars.size(); ++g) {
      const Bar& bar = panel.bars[g];
      if (!std::isfinite(bar.value)) continue;
      const Index tall = height_of(bar.value), x = middle(g);
      canvas.box({x - kBarWidth / 2, floor - tall, kBarWidth, tall}, {.colour = kBarColour},
                 str(chart_.groups[g], ": ", bar_number(bar.value)));
      Index end = floor - tall;
      if (std::isfinite(bar.low) && std::isfinite(bar.high)) {
        const Index low = floor - height_of(bar.low), high = floor - height_of(bar.high);
        canvas.box({x - 1, high, 2, std::max<Index>(low - high, 1)}, kInk);
        end = std::min(end, high);
      }
      canvas.text(
          bar_number(bar.value),
          {.x = x, .y = end - 3, .size = kChartTextSize, .colour = kInk, .align = Align::kMiddle});
    }
  }

  const BarChart& chart_;
  TextPainter text_;
  std::vector<std::string> title_;
  Index top_ = 0, width_ = 0, height_ = 0;
};

}  // namespace

std::string bar_chart_file(const BarChart& chart, PictureFormat format,
                           const std::filesystem::path& font) {
  SACCADE_CHECK(!chart.groups.empty() && !chart.panels.empty(), "[bar chart] ", chart.groups.size(),
                " groups and ", chart.panels.size(), " panels");
  for (const BarPanel& panel : chart.panels)
    SACCADE_CHECK(panel.bars.size() == chart.groups.size(), "[bar chart] ", panel.bars.size(),
                  " bars for ", chart.groups.size(), " groups");
  const BarDrawing drawing(chart, font);
  return picture_file(
      format,
      {.height = drawing.height(), .width = drawing.width(), .title = chart.title, .font = font},
      &drawing.painter(), [&](Canvas& canvas) { drawing.draw(canvas); });
}

}  // namespace saccade

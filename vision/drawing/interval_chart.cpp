#include "vision/drawing/interval_chart.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <numbers>

#include "core/base/error.h"
#include "vision/drawing/canvas.h"

namespace saccade {

namespace {

constexpr Colour kDotColour{62, 110, 168}, kReferenceColour{190, 92, 44}, kPaleRule{232, 232, 236};
constexpr Index kEdge = 16, kLabelSize = 12, kHeadingSize = 16, kRowHeight = 20;
constexpr Index kPanelWidth = 150, kPanelSpace = 26, kWidestLabel = 220, kTickRoom = 18;
constexpr double kDotRadius = 3.5;

std::string tick_text(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.4g", std::abs(value) < 1e-12 ? 0 : value);
  return text.data();
}

// The scale of a panel: its ticks, and where a value stands.
class Scale {
 public:
  explicit Scale(const IntervalPanel& panel) {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (const IntervalDot& dot : panel.dots)
      for (const double value : {dot.value, dot.low, dot.high})
        if (std::isfinite(value) && std::isfinite(dot.value)) {
          low = std::min(low, value);
          high = std::max(high, value);
        }
    if (low > high) low = 0, high = 1;
    // A scale that would begin close to 0 begins there.
    if (low > 0 && low < 0.4 * high) low = 0;
    ticks_ = scale_ticks(low, high);
  }
  const std::vector<double>& ticks() const { return ticks_; }
  Index place(double value) const {
    const double share = (value - ticks_.front()) / (ticks_.back() - ticks_.front());
    return static_cast<Index>(std::lround(share * static_cast<double>(kPanelWidth)));
  }

 private:
  std::vector<double> ticks_;
};

Loop circle(double x, double y) {
  Loop loop;
  for (int k = 0; k < 16; ++k) {
    const double angle = 2 * std::numbers::pi * k / 16;
    loop.push_back({x + kDotRadius * std::cos(angle), y + kDotRadius * std::sin(angle)});
  }
  return loop;
}

class IntervalDrawing {
 public:
  IntervalDrawing(const IntervalChart& chart, const std::filesystem::path& font)
      : chart_(chart), text_(font) {
    for (const std::string& row : chart.rows)
      labels_.push_back(text_.fitted(printable(row), kLabelSize, kWidestLabel));
    Index widest = 0;
    for (const std::string& label : labels_)
      widest = std::max(widest, text_.width(label, kLabelSize));
    left_ = kEdge + widest + kPanelSpace / 2;
    const auto panels = static_cast<Index>(chart.panels.size());
    width_ = left_ + panels * (kPanelWidth + kPanelSpace) + kEdge;
    title_ = text_.wrapped(printable(chart.title),
                           {.size = kHeadingSize, .max_width = width_ - 2 * kEdge, .max_lines = 3});
    note_ = text_.wrapped(printable(chart.note),
                          {.size = kLabelSize, .max_width = width_ - 2 * kEdge, .max_lines = 4});
    for (const IntervalPanel& panel : chart.panels)
      names_.push_back(text_.wrapped(
          printable(panel.name),
          {.size = kLabelSize, .max_width = kPanelWidth + kPanelSpace - 8, .max_lines = 3}));
    std::size_t lines = 1;
    for (const auto& name : names_) lines = std::max(lines, name.size());
    heads_ = kEdge + static_cast<Index>(title_.size()) * kHeadingSize * 3 / 2;
    top_ = heads_ + static_cast<Index>(lines) * kLabelSize * 4 / 3 + 8;
    bottom_ = top_ + static_cast<Index>(chart.rows.size()) * kRowHeight;
    height_ = bottom_ + kTickRoom + static_cast<Index>(note_.size()) * kLabelSize * 3 / 2 + kEdge;
  }
  Index height() const { return height_; }
  Index width() const { return width_; }
  const TextPainter& painter() const { return text_; }

  void draw(Canvas& canvas) const {
    lines(canvas, title_, kEdge + kHeadingSize, kHeadingSize, kInk);
    for (std::size_t r = 0; r < labels_.size(); ++r) {
      if (r % 2 == 1)
        canvas.box({kEdge, row_middle(r) - kRowHeight / 2, width_ - 2 * kEdge, kRowHeight},
                   {.colour = kPaleRule, .cover = 0.5}, "");
      canvas.text(labels_[r], {.x = left_ - kPanelSpace / 2,
                               .y = row_middle(r) + kLabelSize / 3,
                               .size = kLabelSize,
                               .colour = kInk,
                               .align = Align::kEnd});
    }
    for (std::size_t p = 0; p < chart_.panels.size(); ++p) draw_panel(canvas, p);
    lines(canvas, note_, bottom_ + kTickRoom + kLabelSize + 6, kLabelSize, kSoftInk);
  }

 private:
  Index row_middle(std::size_t row) const {
    return top_ + static_cast<Index>(row) * kRowHeight + kRowHeight / 2;
  }

  static void lines(Canvas& canvas, const std::vector<std::string>& text, Index y, Index size,
                    const Colour& colour) {
    for (const std::string& line : text) {
      canvas.text(line, {.x = kEdge, .y = y, .size = size, .colour = colour});
      y += size * 3 / 2;
    }
  }

  void draw_panel(Canvas& canvas, std::size_t number) const {
    const IntervalPanel& panel = chart_.panels[number];
    const Index x = left_ + static_cast<Index>(number) * (kPanelWidth + kPanelSpace);
    Index y = heads_ + kLabelSize;
    for (const std::string& line : names_[number]) {
      canvas.text(line, {.x = x, .y = y, .size = kLabelSize, .colour = kInk});
      y += kLabelSize * 4 / 3;
    }
    const Scale scale(panel);
    for (const double tick : scale.ticks()) {
      const Index at = x + scale.place(tick);
      canvas.box({at, top_, 1, bottom_ - top_}, kPaleRule);
      canvas.text(tick_text(tick), {.x = at,
                                    .y = bottom_ + kLabelSize + 2,
                                    .size = kLabelSize - 2,
                                    .colour = kSoftInk,
                                    .align = Align::kMiddle});
    }
    if (chart_.reference >= 0) {
      const double value = panel.dots[static_cast<std::size_t>(chart_.reference)].value;
      if (std::isfinite(value))
        canvas.box({x + scale.place(value), top_, 1, bottom_ - top_},
                   {.colour = kReferenceColour, .cover = 0.6}, "");
    }
    for (std::size_t r = 0; r < panel.dots.size(); ++r) draw_dot(canvas, panel, r, x, scale);
  }

  void draw_dot(Canvas& canvas, const IntervalPanel& panel, std::size_t row, Index x,
                const Scale& scale) const {
    const IntervalDot& dot = panel.dots[row];
    if (!std::isfinite(dot.value)) return;
    const Colour colour = static_cast<int>(row) == chart_.reference ? kReferenceColour : kDotColour;
    const Index y = row_middle(row), at = x + scale.place(dot.value);
    std::string hint = str(chart_.rows[row], ": ", tick_text(dot.value));
    if (std::isfinite(dot.low) && std::isfinite(dot.high)) {
      const Index low = x + scale.place(dot.low), high = x + scale.place(dot.high);
      hint += str(" [", tick_text(dot.low), ", ", tick_text(dot.high), "]");
      canvas.box({low, y - 1, std::max<Index>(high - low, 1), 2}, {.colour = colour}, hint);
    }
    const Loop loop = circle(static_cast<double>(at), static_cast<double>(y));
    canvas.fill({&loop, 1}, {.colour = colour});
  }

  const IntervalChart& chart_;
  TextPainter text_;
  std::vector<std::string> labels_, title_, note_;
  std::vector<std::vector<std::string>> names_;
  Index left_ = 0, heads_ = 0, top_ = 0, bottom_ = 0, width_ = 0, height_ = 0;
};

}  // namespace

std::vector<double> scale_ticks(double low, double high) {
  constexpr double kMostSteps = 4;
  const double range = high > low ? high - low : std::max(std::abs(low), 1e-6);
  const double power = std::pow(10, std::floor(std::log10(range / kMostSteps)));
  double step = 10 * power;
  for (const double digit : {5.0, 2.0, 1.0})
    if (range / (digit * power) <= kMostSteps) step = digit * power;
  constexpr double kRounding = 1e-9;  // of the division
  std::vector<double> ticks;
  const double first = std::floor(low / step + kRounding), last = high / step - kRounding;
  for (double k = first; ticks.size() < 2 || ticks.back() < last * step; ++k)
    ticks.push_back(k * step);
  return ticks;
}

std::string interval_chart_file(const IntervalChart& chart, PictureFormat format,
                                const std::filesystem::path& font) {
  SACCADE_CHECK(!chart.rows.empty() && !chart.panels.empty(), "[interval chart] ",
                chart.rows.size(), " rows and ", chart.panels.size(), " panels");
  for (const IntervalPanel& panel : chart.panels)
    SACCADE_CHECK(panel.dots.size() == chart.rows.size(), "[interval chart] ", panel.dots.size(),
                  " dots for ", chart.rows.size(), " rows");
  const IntervalDrawing drawing(chart, font);
  return picture_file(
      format,
      {.height = drawing.height(), .width = drawing.width(), .title = chart.title, .font = font},
      &drawing.painter(), [&](Canvas& canvas) { drawing.draw(canvas); });
}

}  // namespace saccade

#include "vision/drawing/heat_map.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "vision/drawing/canvas.h"
#include "vision/drawing/colour.h"
#include "vision/drawing/colour_bar.h"
#include "vision/drawing/overlay.h"

namespace saccade {

namespace {

constexpr Index kWordSize = 16, kSmallSize = 12;
constexpr Index kMargin = 16, kGap = 8;
constexpr Index kLongestLabel = 240;  // pixels
constexpr Index kSmallestPage = 480;

bool is_number(const std::string& label) {
  return !label.empty() && label.find_first_not_of("0123456789") == std::string::npos;
}

// The labels of one axis; every `step`-th label is written.
struct Labels {
  Index cell = 0, step = 1, widest = 0;
  Reading reading = Reading::kAcross;
};

class HeatMapDrawing {
 public:
  HeatMapDrawing(const HeatMap& map, const HeatMapOptions& options)
      : map_(map), options_(options), text_(options.font), colours_(colour_table(options.colours)) {
    for (const float value : map.values) largest_ = std::max(largest_, static_cast<double>(value));
    plan_columns();
    plan_rows();
    left_ = kMargin + rows_.widest + kGap;
    const Index columns_end = left_ + columns() * columns_.cell;
    width_ = std::max({columns_end, kMargin + kColourBarWidth, kSmallestPage}) + kMargin;
    title_ = text_.wrapped(printable(map.title),
                           {.size = kWordSize, .max_width = width_ - 2 * kMargin, .max_lines = 2});
    const Index label_height = columns_.reading == Reading::kUp ? columns_.widest : kSmallSize;
    top_ = kMargin + static_cast<Index>(title_.size()) * title_step() + 2 * kSmallSize +
           label_height + kGap;
    height_ = top_ + rows() * rows_.cell + 2 * kGap + kColourBarHeight + kMargin;
    if (height_ * width_ > kMaxSheetPixels)
      throw DataError(str("a heat map of ", rows(), " x ", columns(), " is too large to be drawn"));
  }

  Index height() const { return height_; }
  Index width() const { return width_; }
  const TextPainter& painter() const { return text_; }

  void draw(Canvas& canvas) const {
    Index y = kMargin;
    for (const std::string& line : title_) {
      canvas.text(line, {.x = kMargin, .y = y + kWordSize, .size = kWordSize, .colour = kInk});
      y += title_step();
    }
    canvas.text(map_.column_name,
                {.x = left_, .y = y + kSmallSize, .size = kSmallSize, .colour = kSoftInk});
    canvas.text(map_.row_name, {.x = left_ - kGap,
                                .y = top_ - kGap / 2,
                                .size = kSmallSize,
                                .colour = kSoftInk,
                                .align = Align::kEnd});
    draw_column_labels(canvas);
    for (Index r = 0; r < rows(); ++r) draw_row(canvas, r);
    if (map_.group > 0)
      for (Index c = map_.group; c < columns(); c += map_.group)
        canvas.box({left_ + c * columns_.cell, top_, 1, rows() * rows_.cell}, kWhite);
    draw_outlines(canvas);
    draw_bar(canvas);
  }

 private:
  Index rows() const { return static_cast<Index>(map_.rows.size()); }
  Index columns() const { return static_cast<Index>(map_.columns.size()); }
  static Index title_step() { return kWordSize * 3 / 2; }

  Index widest(const std::vector<std::string>& labels, Index size) const {
    Index most = 0;
    for (const std::string& label : labels)
      most = std::max(most, text_.width(printable(label), size));
    return std::min(most, kLongestLabel);
  }

  // The smallest round step that leaves room for a label.
  static Index step_for(Index cell, Index room, Index group) {
    if (cell >= room) return 1;
    for (Index scale = group > 0 ? group : 1;; scale *= group > 0 ? 2 : 10)
      for (const Index factor : {1, 2, 5})
        if (scale * factor * cell >= room) return scale * factor;
  }

  void plan_columns() {
    Labels& c = columns_;
    c.cell = std::clamp<Index>(1200 / columns(), 4, 40);
    c.widest = widest(map_.columns, kSmallSize);
    const bool numbers = std::all_of(map_.columns.begin(), map_.columns.end(), is_number);
    if (!numbers && c.widest + kSmallSize / 2 > c.cell) c.reading = Reading::kUp;
    const Index room = c.reading == Reading::kUp ? kSmallSize : c.widest;
    c.step = step_for(c.cell, room + kSmallSize / 2, map_.group);
  }

  void plan_rows() {
    Labels& r = rows_;
    r.cell = rows() <= 60 ? std::clamp<Index>(columns_.cell, kWordSize * 3 / 2, 40)
                          : std::clamp<Index>(1440 / rows(), 4, kWordSize * 3 / 2);
    r.widest = std::max(widest(map_.rows, kWordSize), text_.width(map_.row_name, kSmallSize));
    r.step = step_for(r.cell, kWordSize * 3 / 2, 0);
  }

  void draw_column_labels(Canvas& canvas) const {
    const bool up = columns_.reading == Reading::kUp;
    for (Index c = 0; c < columns(); c += columns_.step) {
      const std::string label = printable(map_.columns[static_cast<std::size_t>(c)]);
      const Index middle = left_ + c * columns_.cell + columns_.cell / 2;
      canvas.text(text_.fitted(label, kSmallSize, kLongestLabel),
                  {.x = up ? middle + kSmallSize / 3 : middle,
                   .y = top_ - kGap / 2,
                   .size = kSmallSize,
                   .colour = kInk,
                   .align = up ? Align::kStart : Align::kMiddle,
                   .reading = columns_.reading});
    }
  }

  // The number that is full heat in a row.
  double full_heat(Index row) const {
    if (options_.scale == HeatScale::kFixed) return options_.fixed_max;
    if (options_.scale == HeatScale::kShared) return largest_;
    double most = 0;  // std::max keeps it beside a NaN
    for (Index c = 0; c < columns(); ++c)
      most = std::max(
          most, static_cast<double>(map_.values[static_cast<std::size_t>(row * columns() + c)]));
    return most;
  }

  void draw_row(Canvas& canvas, Index r) const {
    const std::string& label = map_.rows[static_cast<std::size_t>(r)];
    const Index y = top_ + r * rows_.cell;
    if (r % rows_.step == 0)
      canvas.text(text_.fitted(printable(label), kWordSize, kLongestLabel),
                  {.x = left_ - kGap,
                   .y = y + rows_.cell / 2 + kWordSize / 3,
                   .size = kWordSize,
                   .colour = kInk,
                   .align = Align::kEnd});
    const double full = full_heat(r);
    for (Index c = 0; c < columns(); ++c) {
      const auto value =
          static_cast<double>(map_.values[static_cast<std::size_t>(r * columns() + c)]);
      if (std::isnan(value)) continue;  // the page stays white
      const double heat = full > 0 ? std::clamp(value / full, 0.0, 1.0) : 0;
      canvas.box(
          {left_ + c * columns_.cell, y, columns_.cell, rows_.cell},
          {.colour = colours_[static_cast<std::size_t>(std::lround(heat * 255))]},
          str(label, ", ", map_.columns[static_cast<std::size_t>(c)], ": ", shown_number(value)));
    }
  }

  // Draws a light line inside a dark one, which is visible on any background.
  void draw_outlines(Canvas& canvas) const {
    const Index line = columns_.cell >= 16 ? 2 : 1;
    for (Index r = 0; r < static_cast<Index>(map_.outlined.size()); ++r) {
      const Index c = map_.outlined[static_cast<std::size_t>(r)];
      if (c < 0) continue;
      const PixelRect cell{left_ + c * columns_.cell, top_ + r * rows_.cell, columns_.cell,
                           rows_.cell};
      canvas.frame(cell, kBlack, line);
      if (cell.width > 4 * line)
        canvas.frame({cell.x + line, cell.y + line, cell.width - 2 * line, cell.height - 2 * line},
                     kWhite, line);
    }
  }

  void draw_bar(Canvas& canvas) const {
    const bool each = options_.scale == HeatScale::kPerWord;
    const double most = options_.scale == HeatScale::kFixed ? options_.fixed_max : largest_;
    draw_colour_bar(canvas, colours_, kMargin, top_ + rows() * rows_.cell + 2 * kGap,
                    {.name = bar_name(),
                     .middle = each ? "" : shown_number(most / 2),
                     .end = each ? "largest of the row" : shown_number(most)});
  }

  std::string bar_name() const {
    const bool marks = std::any_of(map_.outlined.begin(), map_.outlined.end(),
                                   [](Index column) { return column >= 0; });
    return map_.value_name + (marks ? "; outlined: the one that was chosen" : "");
  }

  const HeatMap& map_;
  const HeatMapOptions& options_;
  TextPainter text_;
  std::array<Colour, 256> colours_;
  double largest_ = 0;
  Labels rows_, columns_;
  std::vector<std::string> title_;
  Index left_ = 0, top_ = 0, width_ = 0, height_ = 0;
};

void check(const HeatMap& map, const HeatMapOptions& options) {
  const std::size_t rows = map.rows.size(), columns = map.columns.size();
  SACCADE_CHECK(rows > 0 && columns > 0 && map.values.size() == rows * columns, "[heat map] ",
                map.values.size(), " values for ", rows, " x ", columns, " labels");
  for (const float value : map.values)
    SACCADE_CHECK(!std::isinf(value), "[heat map] a value is infinite");
  SACCADE_CHECK(map.outlined.empty() || map.outlined.size() == rows, "[heat map] ",
                map.outlined.size(), " outlines for ", rows, " rows");
  for (const Index column : map.outlined)
    SACCADE_CHECK(column < static_cast<Index>(columns), "[heat map] there is no column ", column);
  if (!(options.fixed_max > 0 && std::isfinite(options.fixed_max)))
    throw UsageError(str("the number of full heat must be positive; got ", options.fixed_max));
}

}  // namespace

std::string heat_map_file(const HeatMap& map, const HeatMapOptions& options, PictureFormat format) {
  check(map, options);
  const HeatMapDrawing drawing(map, options);
  return picture_file(format,
                      {.height = drawing.height(),
                       .width = drawing.width(),
                       .title = map.title,
                       .font = options.font},
                      &drawing.painter(), [&](Canvas& canvas) { drawing.draw(canvas); });
}

}  // namespace saccade

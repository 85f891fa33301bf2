// Values with their intervals as dots on lines: one row for each name, and one panel for each
// value, side by side.
#pragma once

#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "vision/drawing/picture_format.h"

namespace saccade {

// A value that is not finite, or not given, is not drawn; without finite bounds, a dot stands
// alone.
struct IntervalDot {
  static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  double value = kNone, low = kNone, high = kNone;
};

struct IntervalPanel {
  std::string name;
  std::vector<IntervalDot> dots;  // one per row
};

struct IntervalChart {
  std::string title{}, note{};          // above and below the panels
  std::vector<std::string> rows{};      // their labels
  std::vector<IntervalPanel> panels{};  // each with a scale of its own
  int reference = -1;  // the row whose values are drawn through all others; -1: none
};

// The numbers at which a scale from `low` to `high` is labelled: at least two, 1, 2 or 5 times a
// power of ten apart, of which the first is not above `low` and the last not below `high`.
std::vector<double> scale_ticks(double low, double high);

// The picture as a file. `font` is DejaVu Sans where it is empty and
// the system has it. Throws ShapeError where there is no panel or row, or a panel has not one dot
// per row, and DataError when its text needs a font that is not installed.
std::string interval_chart_file(const IntervalChart& chart, PictureFormat format,
                                const std::filesystem::path& font = {});

}  // namespace saccade

// Scores of groups as bars with their intervals, in panels one below the other: one panel for each
// score, with one bar for each group.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "vision/drawing/picture_format.h"

namespace saccade {

// A bar from 0 to its value, and the interval around it as a line. A value or a bound that is not
// finite is not drawn.
struct Bar {
  double value = 0, low = 0, high = 0;
};

struct BarPanel {
  std::string name;
  std::vector<Bar> bars;  // one per group
};

struct BarChart {
  std::string title{}, group_name{};
  std::vector<std::string> groups{};  // their labels
  std::vector<BarPanel> panels{};     // each with a scale of its own, from 0 to its largest bound
};

// The picture as a file. `font` is DejaVu Sans where it is empty and
// the system has it. Throws ShapeError where there is no panel or group, or a panel has not one bar
// per group, and DataError when its text needs a font that is not installed.
std::string bar_chart_file(const BarChart& chart, PictureFormat format,
                           const std::filesystem::path& font = {});

}  // namespace saccade

// Draws curves over two logarithmic axes as an SVG.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace saccade {

struct Curve {
  std::string name;
  std::vector<std::pair<double, double>> points;  // positive numbers
};

struct LogPlot {
  std::string title, x_label, y_label;
  std::vector<double> x_ticks;  // positive, ascending, at least two
  std::vector<Curve> curves;    // at least one point
};

// The drawing: a frame, grid lines at the ticks and at powers of ten, and a legend.
std::string svg_of(const LogPlot& plot);

}  // namespace saccade

#include "experiments/benchmarks/log_plot.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <sstream>

namespace saccade {

namespace {

constexpr double kWidth = 660, kHeight = 420;
constexpr double kLeft = 70, kRight = 490, kTop = 40, kBottom = 360;  // the edges of the frame
// Colours that colour-blind people can distinguish, too (Okabe and Ito 2008, with a grey for their
// yellow, which is too pale for lines).
constexpr std::array<const char*, 8> kColours = {"#d55e00", "#0072b2", "#009e73", "#cc79a7",
                                                 "#e69f00", "#56b4e9", "#000000", "#999999"};

// Maps a number to its place on a logarithmic axis.
struct Scale {
  double low, high, from, to;
  double operator()(double value) const {
    return from + (to - from) * std::log(value / low) / std::log(high / low);
  }
};

// The y axis, from one power of ten to another, around all points.
Scale y_scale(const std::vector<Curve>& curves) {
  double low = std::numeric_limits<double>::max(), high = 0;
  for (const Curve& curve : curves)
    for (const auto& [x, y] : curve.points) low = std::min(low, y), high = std::max(high, y);
  const double first = std::floor(std::log10(low)), last = std::ceil(std::log10(high));
  return {std::pow(10, first), std::pow(10, std::max(last, first + 1)), kBottom, kTop};
}

void line(std::ostream& out, double x1, double y1, double x2, double y2, const char* colour) {
  out << "<line x1='" << x1 << "' y1='" << y1 << "' x2='" << x2 << "' y2='" << y2 << "' stroke='"
      << colour << "'/>\n";
}

void text(std::ostream& out, double x, double y, const char* anchor, const std::string& words) {
  out << "<text x='" << x << "' y='" << y << "' text-anchor='" << anchor << "'>" << words
      << "</text>\n";
}

}  // namespace

std::string svg_of(const LogPlot& plot) {
  std::ostringstream out;
  const Scale x{plot.x_ticks.front(), plot.x_ticks.back(), kLeft, kRight};
  const Scale y = y_scale(plot.curves);
  out << "<svg xmlns='http://www.w3.org/2000/svg' width='" << kWidth << "' height='" << kHeight
      << "' font-family='sans-serif' font-size='13'>\n"
      << "<rect width='100%' height='100%' fill='white'/>\n";
  text(out, (kLeft + kRight) / 2, kTop - 16, "middle", plot.title);
  text(out, (kLeft + kRight) / 2, kBottom + 44, "middle", plot.x_label);
  out << "<g transform='rotate(-90 18 " << (kTop + kBottom) / 2 << ")'>\n";
  text(out, 18, (kTop + kBottom) / 2, "middle", plot.y_label);
  out << "</g>\n";
  for (const double tick : plot.x_ticks) {
    line(out, x(tick), kTop, x(tick), kBottom, "#ddd");
    std::ostringstream number;
    number << tick;
    text(out, x(tick), kBottom + 20, "middle", number.str());
  }
  for (double tick = y.low; tick < 1.01 * y.high; tick *= 10) {
    line(out, kLeft, y(tick), kRight, y(tick), "#ddd");
    std::ostringstream number;
    number << tick;
    text(out, kLeft - 8, y(tick) + 4, "end", number.str());
  }
  for (std::size_t i = 0; i < plot.curves.size(); ++i) {
    const char* colour = kColours[i % kColours.size()];
    out << "<polyline fill='none' stroke-width='2' stroke='" << colour << "' points='";
    for (const auto& [px, py] : plot.curves[i].points) out << x(px) << "," << y(py) << " ";
    out << "'/>\n";
    for (const auto& [px, py] : plot.curves[i].points)
      out << "<circle cx='" << x(px) << "' cy='" << y(py) << "' r='3' fill='" << colour << "'/>\n";
    const double row = kTop + 12 + 20 * static_cast<double>(i);
    line(out, kRight + 16, row, kRight + 36, row, colour);
    text(out, kRight + 42, row + 4, "start", plot.curves[i].name);
  }
  out << "</svg>\n";
  return out.str();
}

}  // namespace saccade

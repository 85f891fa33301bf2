#include "captioning/study/grounding/peak_point.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "vision/images/cubic_taps.h"
#include "vision/images/geometry.h"

namespace saccade {

namespace {

// The pixels [from, end) whose centres lie in a range of the picture; at least one.
std::pair<Index, Index> pixels_in(double from, double to, Index size) {
  const auto pixel = [](double at) { return static_cast<Index>(std::ceil(at - 0.5)); };
  const Index first = std::clamp<Index>(pixel(from), 0, size - 1);
  return {first, std::clamp<Index>(pixel(to), first + 1, size)};
}

// One axis of the picture: its pixels and cells, and which of them show the photo.
struct Axis {
  Index pixels = 0, cells = 0;
  std::pair<Index, Index> shown_pixels, shown_cells;
};

std::vector<CubicTap> taps_of(const Axis& axis) {
  std::vector<CubicTap> taps;
  const double scale = static_cast<double>(axis.cells) / static_cast<double>(axis.pixels);
  for (Index i = axis.shown_pixels.first; i < axis.shown_pixels.second; ++i)
    taps.push_back(cubic_tap((static_cast<double>(i) + 0.5) * scale, axis.shown_cells.first,
                             axis.shown_cells.second));
  return taps;
}

double distance(const PicturePoint& point, const Rect& box) {
  const double dx = std::max({box.x - point.x, 0.0, point.x - box.right()});
  const double dy = std::max({box.y - point.y, 0.0, point.y - box.bottom()});
  return std::hypot(dx, dy);
}

}  // namespace

double point_tolerance(const AttentionGrid& grid) {
  return kPointPixels / kPointPictureSide * static_cast<double>(std::max(grid.height, grid.width));
}

PicturePoint brightest_point(std::span<const Real> weights, const AttentionGrid& grid) {
  check_grid(grid);
  check_weights(weights, grid);
  const Index largest = peak(weights);  // refuses what is not a number
  if (grid.boxes) {
    const Rect box = grid.cell(largest);
    return {box.centre_x(), box.centre_y()};
  }
  const Rect photo = grid.shown();
  const auto width = static_cast<double>(grid.width), height = static_cast<double>(grid.height);
  const CellBlock cells = picture_cells({.left = photo.x / width,
                                         .top = photo.y / height,
                                         .right = photo.right() / width,
                                         .bottom = photo.bottom() / height},
                                        grid.size);
  const Axis across{.pixels = grid.width,
                    .cells = grid.size.cols,
                    .shown_pixels = pixels_in(photo.x, photo.right(), grid.width),
                    .shown_cells = {cells.left, cells.right}};
  const Axis down{.pixels = grid.height,
                  .cells = grid.size.rows,
                  .shown_pixels = pixels_in(photo.y, photo.bottom(), grid.height),
                  .shown_cells = {cells.top, cells.bottom}};
  const std::vector<CubicTap> columns = taps_of(across), rows = taps_of(down);
  std::vector<float> line(static_cast<std::size_t>(grid.size.cols));  // one row between grid rows
  float best = -std::numeric_limits<float>::infinity();
  std::size_t best_x = 0, best_y = 0;
  for (std::size_t y = 0; y < rows.size(); ++y) {
    std::fill(line.begin(), line.end(), 0.0f);
    for (std::size_t k = 0; k < 4; ++k)
      for (std::size_t j = 0; j < line.size(); ++j)
        line[j] += rows[y].weight[k] *
                   static_cast<float>(
                       weights[static_cast<std::size_t>(rows[y].cell[k] * grid.size.cols) + j]);
    for (std::size_t x = 0; x < columns.size(); ++x) {
      const CubicTap& tap = columns[x];
      float value = 0;
      for (std::size_t k = 0; k < 4; ++k)
        value += tap.weight[k] * line[static_cast<std::size_t>(tap.cell[k])];
      if (value > best) {
        best = value;
        best_x = x;
        best_y = y;
      }
    }
  }
  return {static_cast<double>(across.shown_pixels.first) + static_cast<double>(best_x) + 0.5,
          static_cast<double>(down.shown_pixels.first) + static_cast<double>(best_y) + 0.5};
}

bool points_near(std::span<const Real> weights, const AttentionGrid& grid,
                 std::span<const Rect> boxes, double tolerance) {
  const PicturePoint point = brightest_point(weights, grid);
  return std::any_of(boxes.begin(), boxes.end(),
                     [&](const Rect& box) { return distance(point, box) <= tolerance; });
}

// Goes line by line. The pixels near a box are a span of the line, and spans may overlap.
double near_share(const AttentionGrid& grid, std::span<const Rect> boxes, double tolerance) {
  check_grid(grid);
  const Rect photo = grid.shown();
  const auto [top, bottom] = pixels_in(photo.y, photo.bottom(), grid.height);
  double near = 0;
  std::vector<std::pair<double, double>> spans;
  for (Index y = top; y < bottom; ++y) {
    spans.clear();
    const double at = static_cast<double>(y) + 0.5;
    for (const Rect& box : boxes) {
      const double dy = std::max({box.y - at, 0.0, at - box.bottom()});
      if (dy > tolerance) continue;
      const double reach = std::sqrt(tolerance * tolerance - dy * dy);
      spans.emplace_back(std::max(box.x - reach, photo.x),
                         std::min(box.right() + reach, photo.right()));
    }
    std::sort(spans.begin(), spans.end());
    double counted_to = photo.x;
    for (const auto& [from, to] : spans) {
      near += std::max(to - std::max(from, counted_to), 0.0);
      counted_to = std::max(counted_to, to);
    }
  }
  return near / (photo.width * static_cast<double>(bottom - top));
}

}  // namespace saccade

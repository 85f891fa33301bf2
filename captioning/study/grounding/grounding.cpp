#include "captioning/study/grounding/grounding.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"

namespace saccade {

namespace {

constexpr double kRounding = 1e-6;  // of a largest weight

bool hits(Index index, const AttentionGrid& grid, std::span<const Rect> boxes,
          const PointingOptions& options) {
  const Rect cell = grid.cell(index);
  const double x = cell.centre_x(), y = cell.centre_y();
  if (cell.empty()) return false;
  const double tolerance = grid.boxes ? 0 : options.tolerance;
  const double dx = tolerance * cell.width, dy = tolerance * cell.height;
  return std::any_of(boxes.begin(), boxes.end(), [&](const Rect& box) {
    return x >= box.x - dx && x < box.right() + dx && y >= box.y - dy && y < box.bottom() + dy;
  });
}

}  // namespace

Rect AttentionGrid::cell(Index index) const {
  if (boxes) return index < std::ssize(*boxes) ? (*boxes)[static_cast<std::size_t>(index)] : Rect{};
  const double w = static_cast<double>(width) / static_cast<double>(size.cols);
  const double h = static_cast<double>(height) / static_cast<double>(size.rows);
  return {static_cast<double>(index % size.cols) * w, static_cast<double>(index / size.cols) * h, w,
          h};
}

Rect AttentionGrid::shown() const {
  if (!photo.empty()) return photo;
  return {0, 0, static_cast<double>(width), static_cast<double>(height)};
}

Rect intersection(const Rect& a, const Rect& b) {
  const double x = std::max(a.x, b.x), y = std::max(a.y, b.y);
  return {x, y, std::max(std::min(a.right(), b.right()) - x, 0.0),
          std::max(std::min(a.bottom(), b.bottom()) - y, 0.0)};
}

void check_grid(const AttentionGrid& grid) {
  SACCADE_CHECK(grid.size.rows > 0 && grid.size.cols > 0 && grid.height > 0 && grid.width > 0,
                "[grounding] empty grid; got ", grid.size.rows, " x ", grid.size.cols,
                " cells over ", grid.height, " x ", grid.width, " pixels");
}

void check_weights(std::span<const Real> weights, const AttentionGrid& grid) {
  SACCADE_CHECK(static_cast<Index>(weights.size()) == grid.size.cells(), "[grounding] ",
                weights.size(), " weights for a grid of ", grid.size.rows, " x ", grid.size.cols);
}

Index peak(std::span<const Real> weights) {
  SACCADE_CHECK(!weights.empty(), "[pointing] no weights");
  SACCADE_CHECK(std::none_of(weights.begin(), weights.end(), [](Real w) { return std::isnan(w); }),
                "[pointing] a weight is not a number");
  return static_cast<Index>(std::max_element(weights.begin(), weights.end()) - weights.begin());
}

double pointing_share(std::span<const Real> weights, const AttentionGrid& grid,
                      std::span<const Rect> boxes, const PointingOptions& options) {
  check_grid(grid);
  check_weights(weights, grid);
  const double largest = static_cast<double>(weights[static_cast<std::size_t>(peak(weights))]);
  const double tied = largest - kRounding * std::abs(largest);
  Index inside = 0, cells = 0;
  for (Index i = 0; i < grid.size.cells(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (!options.mask.empty() && options.mask[at] == 0) continue;
    if (!(static_cast<double>(weights[at]) >= tied)) continue;
    ++cells;
    inside += hits(i, grid, boxes, options) ? 1 : 0;
  }
  return cells == 0 ? 0 : static_cast<double>(inside) / static_cast<double>(cells);
}

double pointing_chance(const AttentionGrid& grid, std::span<const Rect> boxes,
                       const PointingOptions& options) {
  check_grid(grid);
  const Index cells = grid.size.cells();
  Index inside = 0, unmasked = 0;
  for (Index i = 0; i < cells; ++i) {
    if (!options.mask.empty() && options.mask[static_cast<std::size_t>(i)] == 0) continue;
    ++unmasked;
    inside += hits(i, grid, boxes, options) ? 1 : 0;
  }
  return static_cast<double>(inside) / static_cast<double>(unmasked);
}

void PointingTally::add(std::span<const Real> weights, const AttentionGrid& grid,
                        std::span<const Rect> boxes, const PointingOptions& options) {
  const double hit = pointing_share(weights, grid, boxes, options);
  if (boxes.empty()) {
    ++without_boxes;
    return;
  }
  ++words;
  hits += hit;
  chance += pointing_chance(grid, boxes, options);
}

PointingTally& PointingTally::operator+=(const PointingTally& other) {
  hits += other.hits;
  words += other.words;
  without_boxes += other.without_boxes;
  chance += other.chance;
  return *this;
}

double PointingTally::accuracy() const {
  return words == 0 ? 0 : hits / static_cast<double>(words);
}

double PointingTally::mean_chance() const {
  return words == 0 ? 0 : chance / static_cast<double>(words);
}

}  // namespace saccade

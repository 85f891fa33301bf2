#include "vision/drawing/heat_field.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "vision/drawing/contours.h"
#include "vision/images/cubic_taps.h"

namespace saccade {

namespace {

constexpr Index kSamplesPerCell = 8, kMostSamples = 512;

struct Axis {
  Index pixels = 0, original = 0, cells = 0;
  Index from = 0, count = 0;  // the range of pixels that is wanted
  // The range of cells that show any of the picture; only these are drawn.
  Index first = 0, end = 0;
  double seen_from = 0, seen_length = 0;
  bool mirrored = false;
};

// One tap per pixel, from the centres of the photo's pixels to the centres of the grid's cells.
std::vector<CubicTap> make_taps(const Axis& axis) {
  std::vector<CubicTap> taps(static_cast<std::size_t>(axis.count));
  const double step = static_cast<double>(axis.original) / static_cast<double>(axis.pixels);
  for (std::size_t i = 0; i < taps.size(); ++i) {
    const double pixel = static_cast<double>(axis.from) + static_cast<double>(i) + 0.5;
    const double at = (pixel * step - axis.seen_from) / axis.seen_length;
    const double position = (axis.mirrored ? 1 - at : at) * static_cast<double>(axis.cells);
    taps[i] = cubic_tap(position, axis.first, axis.end);
  }
  return taps;
}

struct Stretch {
  Index from = 0, length = 0;
};
// The pixels whose centres lie in [from, from + length) of the original.
Stretch seen_pixels(Index pixels, Index original, double from, double length) {
  const double scale = static_cast<double>(pixels) / static_cast<double>(original);
  const auto edge = [&](double at) {
    return std::clamp<Index>(static_cast<Index>(std::ceil(at * scale - 0.5)), 0, pixels);
  };
  return {.from = edge(from), .length = edge(from + length) - edge(from)};
}

// The highest level such that the weights at or above it hold `share` of the total. Equal weights
// are at or above it together.
float level_of(std::vector<float> weights, double share) {
  std::sort(weights.begin(), weights.end(), std::greater<>());
  const double wanted = share * std::accumulate(weights.begin(), weights.end(), 0.0);
  double sum = 0;
  for (const float weight : weights)
    if ((sum += static_cast<double>(weight)) >= wanted) return weight;
  return weights.back();
}

}  // namespace

PixelRect seen_area(const Geometry& geometry, const PixelRect& photo) {
  const Rect& seen = geometry.seen;
  const Stretch x = seen_pixels(photo.width, geometry.original_width, seen.x, seen.width);
  const Stretch y = seen_pixels(photo.height, geometry.original_height, seen.y, seen.height);
  return {photo.x + x.from, photo.y + y.from, x.length, y.length};
}

void interpolate(const Overlay& overlay, const OverlayWord& word, const FieldView& view,
                 const std::function<void(Index, std::span<const float>)>& take) {
  const Geometry& geometry = overlay.geometry;
  const CellBlock cells = picture_cells(picture_area(geometry), overlay.grid);
  const auto across = make_taps({.pixels = view.width,
                                 .original = geometry.original_width,
                                 .cells = overlay.grid.cols,
                                 .from = view.part.x,
                                 .count = view.part.width,
                                 .first = cells.left,
                                 .end = cells.right,
                                 .seen_from = geometry.seen.x,
                                 .seen_length = geometry.seen.width,
                                 .mirrored = geometry.mirrored});
  const auto down = make_taps({.pixels = view.height,
                               .original = geometry.original_height,
                               .cells = overlay.grid.rows,
                               .from = view.part.y,
                               .count = view.part.height,
                               .first = cells.top,
                               .end = cells.bottom,
                               .seen_from = geometry.seen.y,
                               .seen_length = geometry.seen.height});
  // One row of the grid, interpolated between two rows of cells.
  std::vector<float> line(static_cast<std::size_t>(overlay.grid.cols));
  std::vector<float> row(across.size());
  for (std::size_t y = 0; y < down.size(); ++y) {
    for (std::size_t j = 0; j < line.size(); ++j) {
      line[j] = 0;
      for (std::size_t k = 0; k < 4; ++k)
        line[j] += down[y].weight[k] *
                   word.weights[static_cast<std::size_t>(down[y].cell[k] * overlay.grid.cols) + j];
    }
    for (std::size_t x = 0; x < row.size(); ++x) {
      row[x] = 0;
      for (std::size_t k = 0; k < 4; ++k)
        row[x] += across[x].weight[k] * line[static_cast<std::size_t>(across[x].cell[k])];
    }
    take(static_cast<Index>(y), row);
  }
}

std::vector<Loop> enclosing_loops(const Overlay& overlay, const OverlayWord& word, double share) {
  const Geometry& geometry = overlay.geometry;
  const auto samples = [](Index cells, double seen, Index original) {
    const double shown = static_cast<double>(original) / seen;
    const auto wanted = std::lround(static_cast<double>(kSamplesPerCell * cells) * shown);
    return std::clamp<Index>(wanted, 2, kMostSamples);
  };
  FieldView view{
      .height = samples(overlay.grid.rows, geometry.seen.height, geometry.original_height),
      .width = samples(overlay.grid.cols, geometry.seen.width, geometry.original_width)};
  view.part = seen_area(geometry, {0, 0, view.width, view.height});
  std::vector<float> field;
  interpolate(overlay, word, view, [&](Index, std::span<const float> row) {
    for (const float weight : row) field.push_back(std::max(weight, 0.f));
  });
  const float most = field.empty() ? 0 : *std::max_element(field.begin(), field.end());
  if (!(most > 0)) return {};
  // Slightly lower, so that rounding errors draw no islands on a flat map.
  const float level = level_of(field, share) - 1e-4f * most;
  std::vector<Loop> loops =
      contours({.height = view.part.height, .width = view.part.width, .values = field}, level);
  for (Loop& loop : loops)
    for (Point& point : loop)
      point = {(static_cast<double>(view.part.x) + point.x) / static_cast<double>(view.width),
               (static_cast<double>(view.part.y) + point.y) / static_cast<double>(view.height)};
  return loops;
}

}  // namespace saccade

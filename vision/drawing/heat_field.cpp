#include "vision/drawing/heat_field.h"

#include <algorithm>
#include <cmath>

#include "vision/images/cubic_taps.h"

namespace saccade {

namespace {

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

// The weights of boxes; of those that overlap, the larger one is on top.
void fill_boxes(const AttentionMap& map, const Geometry& geometry, const FieldView& view,
                const std::function<void(Index, std::span<const float>)>& take) {
  struct Painted {
    PixelRect pixels;
    float weight;
  };
  std::vector<Painted> boxes;
  Geometry of_box = geometry;
  for (Index region = 0; region < std::ssize(geometry.places->boxes); ++region) {
    of_box.seen = cell_box(geometry, map.layout.grid, region);
    boxes.push_back({seen_area(of_box, {0, 0, view.width, view.height}),
                     map.weights[static_cast<std::size_t>(region)]});
  }
  std::stable_sort(boxes.begin(), boxes.end(), [](const Painted& a, const Painted& b) {
    return std::abs(a.weight) < std::abs(b.weight);
  });
  std::vector<float> row(static_cast<std::size_t>(view.part.width));
  for (Index y = 0; y < view.part.height; ++y) {
    std::fill(row.begin(), row.end(), 0.0F);
    for (const auto& [pixels, weight] : boxes) {
      if (view.part.y + y < pixels.y || view.part.y + y >= pixels.bottom()) continue;
      const Index from = std::max<Index>(pixels.x - view.part.x, 0),
                  to = std::min(pixels.right() - view.part.x, view.part.width);
      for (Index x = from; x < to; ++x) row[static_cast<std::size_t>(x)] = weight;
    }
    take(y, row);
  }
}

}  // namespace

PixelRect seen_area(const Geometry& geometry, const PixelRect& photo) {
  const Rect& seen = geometry.seen;
  const Stretch x = seen_pixels(photo.width, geometry.original_width, seen.x, seen.width);
  const Stretch y = seen_pixels(photo.height, geometry.original_height, seen.y, seen.height);
  return {photo.x + x.from, photo.y + y.from, x.length, y.length};
}

void interpolate(const AttentionMap& map, const Geometry& geometry, const FieldView& view,
                 const std::function<void(Index, std::span<const float>)>& take) {
  if (geometry.places) return fill_boxes(map, geometry, view, take);
  const GridSize& grid = map.layout.grid;
  const CellBlock cells = picture_cells(picture_area(geometry), grid);
  const auto across = make_taps({.pixels = view.width,
                                 .original = geometry.original_width,
                                 .cells = grid.cols,
                                 .from = view.part.x,
                                 .count = view.part.width,
                                 .first = cells.left,
                                 .end = cells.right,
                                 .seen_from = geometry.seen.x,
                                 .seen_length = geometry.seen.width,
                                 .mirrored = geometry.mirrored});
  const auto down = make_taps({.pixels = view.height,
                               .original = geometry.original_height,
                               .cells = grid.rows,
                               .from = view.part.y,
                               .count = view.part.height,
                               .first = cells.top,
                               .end = cells.bottom,
                               .seen_from = geometry.seen.y,
                               .seen_length = geometry.seen.height});
  // One row of the grid, interpolated between two rows of cells.
  std::vector<float> line(static_cast<std::size_t>(grid.cols));
  std::vector<float> row(across.size());
  for (std::size_t y = 0; y < down.size(); ++y) {
    for (std::size_t j = 0; j < line.size(); ++j) {
      line[j] = 0;
      for (std::size_t k = 0; k < 4; ++k)
        line[j] += down[y].weight[k] *
                   map.weights[static_cast<std::size_t>(down[y].cell[k] * grid.cols) + j];
    }
    for (std::size_t x = 0; x < row.size(); ++x) {
      row[x] = 0;
      for (std::size_t k = 0; k < 4; ++k)
        row[x] += across[x].weight[k] * line[static_cast<std::size_t>(across[x].cell[k])];
    }
    take(static_cast<Index>(y), row);
  }
}

}  // namespace saccade

// The pointing game (Zhang et al., ECCV 2016) on attention grids: does the largest weight fall on
// the thing that the word names? It is a hit if the centre of the cell lies in a box that is grown
// on every side by `tolerance` cells. With 0 the centre itself is inside; with 0.5 (the default)
// the cell overlaps the box.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/base/grid_size.h"
#include "core/base/real.h"
#include "vision/images/rect.h"

namespace saccade {

// A grid of attention over the picture that the network saw, or a list of boxes in it. Of boxes,
// the centre itself has to be inside, whatever the tolerance: they are as large as things.
struct AttentionGrid {
  GridSize size{};              // in cells; of boxes one row
  Index height = 0, width = 0;  // of that picture, in pixels
  Rect photo{};                 // the part of it that shows the photo and is no padding; empty: all
  // In pixels, of as many regions as are no padding; none: the regions are cells.
  std::optional<std::vector<Rect>> boxes{};

  Rect cell(Index index) const;  // the cell at a row-major index, or a box, in pixels
  Rect shown() const;            // photo, or all
};

// The common part of two boxes; its width or height is 0 where they have none.
Rect intersection(const Rect& a, const Rect& b);

// Throws ShapeError when a grid has no cells or no pixels.
void check_grid(const AttentionGrid& grid);
// Throws ShapeError unless there is one weight per cell.
void check_weights(std::span<const Real> weights, const AttentionGrid& grid);

struct PointingOptions {
  double tolerance = 0.5;  // cells
  // [cells], 0 for those that no map can point at (padding), else 1; empty: none is masked.
  std::span<const std::uint8_t> mask{};
};

// The index of the largest weight (of equal ones the first). Throws ShapeError when there is none,
// or when a weight is not a number.
Index peak(std::span<const Real> weights);

// Whether the peak of weights [cells] hits one of the boxes, which are given in pixels of the
// picture that the network saw: 1 or 0, or, where unmasked cells share the largest weight (up to
// rounding), the share of them that hit, so that their order decides nothing. Without boxes there
// is no hit. Throws ShapeError when the sizes do not fit, or when a weight is not a number.
double pointing_share(std::span<const Real> weights, const AttentionGrid& grid,
                      std::span<const Rect> boxes, const PointingOptions& options = {});

// The share of hits among the unmasked cells: what a map without knowledge reaches.
double pointing_chance(const AttentionGrid& grid, std::span<const Rect> boxes,
                       const PointingOptions& options = {});

// Counts over the nouns of many captions. A noun whose phrase fits nothing in its picture has no
// right place: it is counted separately and is no part of the accuracy.
struct PointingTally {
  double hits = 0;  // of maps with several largest cells a share
  Index words = 0, without_boxes = 0;
  double chance = 0;  // summed over words

  void add(std::span<const Real> weights, const AttentionGrid& grid, std::span<const Rect> boxes,
           const PointingOptions& options = {});
  PointingTally& operator+=(const PointingTally& other);
  double accuracy() const;  // 0 when there are no words
  double mean_chance() const;
};

}  // namespace saccade

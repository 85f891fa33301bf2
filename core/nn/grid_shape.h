// GridShape: a grid of feature vectors, one per region of an image.
#pragma once

#include <vector>

#include "core/base/grid_size.h"

namespace saccade {

// The regions of an image, row by row from the top left, each with a feature vector [features].
struct GridShape : GridSize {
  Index features = 0;
  // Where the grids of several layers are joined (encoder.layers), the features of each, in order.
  // Those beyond their sum belong to no layer.
  std::vector<Index> widths{};
  // Whether regions lie anywhere in the picture, a different number in each, instead of in rows and
  // columns: the grid is one row then, with a cell for each region of the picture that has most.
  bool scattered = false;
  bool in_time = false;  // whether scattered regions are frames, one after the other
  Index pooled = 0;  // 1: one more vector, of the picture as a whole, follows those of the regions

  Index vectors() const { return cells() + pooled; }
  Index size() const { return vectors() * features; }
  bool operator==(const GridShape&) const = default;
};

}  // namespace saccade

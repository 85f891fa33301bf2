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

  Index size() const { return cells() * features; }
  bool operator==(const GridShape&) const = default;
};

}  // namespace saccade

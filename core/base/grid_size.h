// GridSize: the rows and columns of a grid of cells, such as the one in which the regions of an
// image lie.
#pragma once

#include "core/base/real.h"

namespace saccade {

// Cells are numbered row by row from the top left.
struct GridSize {
  Index rows = 0, cols = 0;

  Index cells() const { return rows * cols; }
  bool operator==(const GridSize&) const = default;
};

}  // namespace saccade

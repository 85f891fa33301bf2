// GridSize: the rows and columns of a grid of cells, such as the one in which the regions of an
// image lie.
#pragma once

#include "core/base/real.h"

namespace saccade {

// How many rows and columns of cells a grid has. Cells are numbered row by row from the top left.
struct GridSize {
  Index rows = 0;  // from top to bottom
  Index cols = 0;  // from left to right

  // The number of cells.
  Index cells() const { return rows * cols; }
  // Whether rows and columns are the same.
  bool operator==(const GridSize&) const = default;
};

}  // namespace saccade

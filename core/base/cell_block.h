// CellBlock: a rectangle of cells on a grid, such as those that show the picture of a padded input.
#pragma once

#include "core/base/real.h"

namespace saccade {

// Rows [top, bottom) and columns [left, right).
struct CellBlock {
  Index top = 0, left = 0, bottom = 0, right = 0;

  Index rows() const { return bottom - top; }
  Index cols() const { return right - left; }
  bool has(Index row, Index col) const {
    return row >= top && row < bottom && col >= left && col < right;
  }
};

}  // namespace saccade

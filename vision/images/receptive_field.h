// Receptive field: the pixels of a network's input from which a cell of its grid is computed.
#pragma once

#include "vision/images/geometry.h"

namespace saccade {

// On one axis, cell i sees the pixels [first + i * step, first + i * step + extent); those beyond
// the input are padding.
struct FieldAxis {
  Index first = 0, step = 1, extent = 1;

  // Adds one more window behind the current ones, with `before` pixels of padding in front.
  void see(Index kernel, Index stride, Index before) {
    first -= before * step;
    extent += (kernel - 1) * step;
    step *= stride;
  }
};

struct ReceptiveField {
  FieldAxis rows, cols;

  void see(Index kernel, Index stride, Index before) {
    rows.see(kernel, stride, before);
    cols.see(kernel, stride, before);
  }
};

// The pixels of the original that a cell of a grid sees; the rectangle may reach beyond the
// original.
Rect field_box(const Geometry& geometry, const ReceptiveField& field, const GridSize& grid,
               Index cell);

}  // namespace saccade

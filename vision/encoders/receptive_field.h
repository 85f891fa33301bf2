// Receptive field: the pixels of a network's input that a cell of its grid is computed from.
#pragma once

#include "vision/geometry.h"

namespace saccade {

// On one axis cell i sees the pixels [first + i * step, first + i * step + extent), of which those
// beyond the input are padding.
struct FieldAxis {
  Index first = 0, step = 1, extent = 1;

  // Behind one more window, `before` of whose pixels may be padding in front of the image.
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

// What a cell of a grid with so many columns sees, in pixels of the original; may reach beyond it.
Rect field_box(const Geometry& geometry, const ReceptiveField& field, Index cols, Index cell);

}  // namespace saccade

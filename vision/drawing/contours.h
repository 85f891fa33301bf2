// Contour lines of a field of samples. Internal to vision/drawing.
#pragma once

#include <span>
#include <vector>

#include "vision/drawing/canvas.h"

namespace saccade {

struct SampledField {
  Index height = 0, width = 0;
  std::span<const float> values;  // [height * width], each at the centre of its pixel
};

// Returns closed loops around all places where the field is at least `level`, by marching squares
// (Lorensen & Cline 1987, in two dimensions). At the field's border the loops follow the border.
// Units are samples, from the top left corner of the field. Inside an odd number of loops, the
// field is at least `level`.
std::vector<Loop> contours(const SampledField& field, float level);

}  // namespace saccade

// Lines of one height on a field of samples. Internal to vision.
#pragma once

#include <span>
#include <vector>

#include "vision/canvas.h"

namespace saccade {

struct SampledField {
  Index height = 0, width = 0;
  std::span<const float> values;  // [height * width], each in the middle of its pixel
};

// Closed loops around everything that is at least `level`, by marching squares (Lorensen & Cline
// 1987 in two dimensions); at the field's border they run along it. In samples from the top left
// corner of the field; a field inside an odd number of loops is at least `level`.
std::vector<Loop> contours(const SampledField& field, float level);

}  // namespace saccade

// Catmull-Rom interpolation between the centres of cells, along one axis: how overlays draw a map,
// and where a map that is drawn so is brightest.
#pragma once

#include <array>

#include "core/base/real.h"

namespace saccade {

// What four neighbouring cells add to a point between their centres; weights sum to 1.
struct CubicTap {
  std::array<Index, 4> cell{};
  std::array<float, 4> weight{};
};

// The tap at `position` in cells (the centre of cell i is at i + 0.5). Beyond the centres of cells
// [first, end) the outermost go on.
CubicTap cubic_tap(double position, Index first, Index end);

}  // namespace saccade

// Catmull-Rom interpolation between the centres of cells, along one axis. Overlays draw a map with
// it, and pointing finds the brightest place of a map drawn in this way.
#pragma once

#include <array>

#include "core/base/real.h"

namespace saccade {

// The weights of four neighbouring cells at a point between their centres; they sum to 1.
struct CubicTap {
  std::array<Index, 4> cell{};
  std::array<float, 4> weight{};
};

// The tap at `position`, in cells (the centre of cell i is at i + 0.5). Cells outside [first, end)
// are replaced by the outermost cell inside.
CubicTap cubic_tap(double position, Index first, Index end);

}  // namespace saccade

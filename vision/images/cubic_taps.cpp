#include "vision/images/cubic_taps.h"

#include <algorithm>
#include <cmath>

namespace saccade {

namespace {

// Catmull-Rom weights (Keys 1981, a = -1/2) of four samples, at t in [0, 1) from sample 1 to sample
// 2 (counted from 0).
std::array<float, 4> cubic(float t) {
  const float t2 = t * t, t3 = t2 * t;
  return {(-t3 + 2 * t2 - t) / 2, (3 * t3 - 5 * t2 + 2) / 2, (-3 * t3 + 4 * t2 + t) / 2,
          (t3 - t2) / 2};
}

}  // namespace

CubicTap cubic_tap(double position, Index first, Index end) {
  CubicTap tap;
  const double below = std::floor(position - 0.5);
  tap.weight = cubic(static_cast<float>(position - 0.5 - below));
  for (std::size_t k = 0; k < 4; ++k)
    tap.cell[k] =
        std::clamp<Index>(static_cast<Index>(below) + static_cast<Index>(k) - 1, first, end - 1);
  return tap;
}

}  // namespace saccade

// Rect: an axis-aligned rectangle, with x to the right and y down, such as the box around an
// object, the cell of a grid or a crop. Everything above core may include it.
#pragma once

#include "core/base/real.h"

namespace saccade {

template <class T>
struct RectOf {
  T x = 0, y = 0;  // the top left corner
  T width = 0, height = 0;

  T right() const { return x + width; }
  T bottom() const { return y + height; }
  T centre_x() const { return x + width / 2; }
  T centre_y() const { return y + height / 2; }
  bool empty() const { return !(width > 0 && height > 0); }
  bool contains(T px, T py) const { return px >= x && px < right() && py >= y && py < bottom(); }
};

using Rect = RectOf<double>;      // fractions of pixels are allowed
using PixelRect = RectOf<Index>;  // of whole pixels

}  // namespace saccade

// Box: an axis-aligned rectangle in pixels, with x to the right and y down. Everything may include
// it.
#pragma once

namespace saccade {

struct Box {
  double x = 0, y = 0;  // left, top
  double w = 0, h = 0;

  double right() const { return x + w; }
  double bottom() const { return y + h; }
  double centre_x() const { return x + w / 2; }
  double centre_y() const { return y + h / 2; }
  bool contains(double px, double py) const {
    return px >= x && px < right() && py >= y && py < bottom();
  }
};

}  // namespace saccade

// Box: the rectangle around an object, in pixels of its picture. Everything may include it.
#pragma once

#include "vision/images/rect.h"

namespace saccade {

using Box = Rect;

}  // namespace saccade

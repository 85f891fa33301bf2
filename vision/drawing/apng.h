// Animated PNG: browsers play it, and every other PNG reader shows its first picture.
// Internal to vision/drawing.
#pragma once

#include <span>
#include <string>

#include "vision/images/image.h"

namespace saccade {

struct Frame {
  Image picture;
  Index milliseconds = 0;  // how long it stays; at most 65535
};

// Returns the bytes of the file, which plays in an endless loop. Throws ShapeError where there is
// no frame, or where the sizes of the frames differ.
std::string encode_apng(std::span<const Frame> frames);

}  // namespace saccade

// Animated PNG, which browsers show as a film and every PNG reader as its first picture. Internal
// to vision.
#pragma once

#include <span>
#include <string>

#include "vision/image.h"

namespace saccade {

struct Frame {
  Image picture;
  Index milliseconds = 0;  // that it stays; at most 65535
};

// The file's bytes; it plays over and over. Throws ShapeError where there is no frame, or sizes
// differ.
std::string encode_apng(std::span<const Frame> frames);

}  // namespace saccade

// The tokens of a text as a picture of one row, so that what is drawn on photos can be drawn on
// texts.
#pragma once

#include <span>
#include <string>

#include "vision/images/image.h"

namespace saccade {

// The cell of each token, in pixels.
struct StripCell {
  Index width = 0, height = 0;
};

// Draws each token in the middle of its cell, from left to right. Throws ShapeError where there is
// no token or a cell is empty, and DataError when a token needs a font that is not installed.
Image draw_token_strip(std::span<const std::string> tokens, const StripCell& cell);

}  // namespace saccade

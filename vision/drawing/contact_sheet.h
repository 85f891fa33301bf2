// Many pictures on one page, each with a line of text below it.
#pragma once

#include <span>
#include <string>

#include "vision/images/image.h"

namespace saccade {

struct ContactTile {
  Image image;
  std::string text;
};

// Draws the tiles on one page, row by row, in at most so many columns. Throws ShapeError when there
// are no tiles or a picture is empty.
Image draw_contact_sheet(std::span<const ContactTile> tiles, Index most_columns);

}  // namespace saccade

// Many pictures on one page, each with a line of text below it.
#pragma once

#include <span>
#include <string>

#include "vision/image.h"

namespace saccade {

struct ContactTile {
  Image image;
  std::string text;
};

struct ContactOptions {
  Index columns = 4;
  Index side = 192;  // of the square that each picture is fitted into, in pixels
};

// Draws the tiles on one page, row by row. Throws ShapeError when there are no tiles or a picture
// is empty.
Image draw_contact_sheet(std::span<const ContactTile> tiles, const ContactOptions& options);

}  // namespace saccade

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
  Index side = 192;  // of the square a picture is fitted into, in pixels
};

// The page, row by row. Throws ShapeError without tiles or on an empty picture.
Image draw_contact_sheet(std::span<const ContactTile> tiles, const ContactOptions& options);

}  // namespace saccade

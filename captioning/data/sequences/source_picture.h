// The picture of a text: its tokens side by side, in cells of one width. Maps over the tokens are
// drawn on it as those of photos are.
#pragma once

#include <span>
#include <string>

#include "vision/images/geometry.h"
#include "vision/images/image.h"

namespace saccade {

Image draw_source(std::span<const std::string> tokens);
ImageSize source_size(std::span<const std::string> tokens);

// How that picture and a row of `places` cells correspond: the tokens stand in the first cells, and
// the others are padding. Throws ShapeError where there are no tokens, or more than places.
Geometry source_geometry(std::span<const std::string> tokens, Index places);

}  // namespace saccade

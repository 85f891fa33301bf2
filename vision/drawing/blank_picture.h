// The picture that stands for one that is not there, where only features of a photo are known: maps
// are drawn on it.
#pragma once

#include "vision/images/geometry.h"

namespace saccade {

// Of frames in time their time axis (time_axis.h). Of all others an empty picture of the geometry's
// size, with the edges of the regions whose places are known; where there is space, it says that
// there is no picture. Throws DataError when no font is installed.
Image blank_picture(const Geometry& geometry);

}  // namespace saccade

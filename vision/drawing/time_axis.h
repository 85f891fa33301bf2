// The time axis of frames that have no pictures, such as those of a sound, as a picture: the curve
// of a word's attention over time is drawn on it.
#pragma once

#include <vector>

#include "vision/drawing/canvas.h"
#include "vision/images/geometry.h"

namespace saccade {

// The picture of the axis, with the first and the last time below it, or with the numbers of the
// frames where nobody knows their times. The geometry is that of geometry_of_times(). Throws
// DataError when no font is installed.
Image draw_time_axis(const Geometry& geometry);

// The area under the curve of weights on a panel: as high at each frame as its share of full heat,
// with straight lines between frames. `heights` [frames] lie in [0, 1].
Loop time_curve(const RegionBoxes& frames, std::span<const float> heights, const PixelRect& panel);

// How far from the left a frame lies on the axis, as a share of the panel's width.
double place_on_axis(const RegionBoxes& frames, Index frame);

}  // namespace saccade

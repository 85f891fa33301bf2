// Draws scenes: anti-aliased shapes from signed distances, without an image library.
#pragma once

#include "captioning/data/scenes/scene.h"
#include "vision/images/image.h"

namespace saccade {

// The picture of a scene [size, size, 3], of one that moves in its first frame. It has the same
// bits every time.
Image render(const Scene& scene);

// The signed distance from the outline of a shape that fills the square [-1, 1]^2 (y down), in the
// units of the square, negative inside. It is exact for circle, square, ring and the polygons.
double shape_distance(ObjectShape shape, double x, double y);

}  // namespace saccade

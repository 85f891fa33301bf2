// Draws scenes: anti-aliased shapes from signed distances, no image library.
#pragma once

#include "captioning/data/scenes/scene.h"
#include "vision/image.h"

namespace saccade {

// The picture of a scene [size, size, 3]; the same bits every time.
Image render(const Scene& scene);

// The signed distance from the outline of a shape that fills the square [-1, 1]^2 (y down), in the
// square's units, negative inside. Exact for circle, square, ring and the polygons.
double shape_distance(ObjectShape shape, double x, double y);

}  // namespace saccade

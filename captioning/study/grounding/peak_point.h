// The pointing game with a tolerance in pixels (Zhang et al., ECCV 2016): is the brightest point of
// a map near the thing that the word names? In contrast to a tolerance in cells (grounding.h), it
// does not depend on how fine the grid is.
#pragma once

#include <span>

#include "captioning/study/grounding/grounding.h"

namespace saccade {

// How far from a box a point may be: 15 pixels where the longer side of the picture has 224 pixels,
// and in proportion for other sizes.
constexpr double kPointPixels = 15, kPointPictureSide = 224;
double point_tolerance(const AttentionGrid& grid);  // in pixels of this picture

struct PicturePoint {
  double x = 0, y = 0;  // in pixels of the picture that the network saw
};

// The centre of the photo's pixel where weights [rows * cols] are the largest, when they are
// interpolated between the centres of cells as in smooth overlays (vision/images/cubic_taps.h); of
// equal ones the first, row by row. Throws ShapeError when sizes do not fit or a weight is not a
// number.
PicturePoint brightest_point(std::span<const Real> weights, const AttentionGrid& grid);

// Whether that point is at most `tolerance` pixels from one of the boxes.
bool points_near(std::span<const Real> weights, const AttentionGrid& grid,
                 std::span<const Rect> boxes, double tolerance);

// The share of the photo's area that is as near: what a random point reaches.
double near_share(const AttentionGrid& grid, std::span<const Rect> boxes, double tolerance);

}  // namespace saccade

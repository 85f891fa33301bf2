// An attention map as a continuous field over the photo. Internal to vision/overlay*.cpp.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "vision/canvas.h"
#include "vision/overlay.h"

namespace saccade {

// What of a photo at the size of an area the network looked at: the pixels whose centres it saw.
Area seen_area(const Geometry& geometry, const Area& photo);

// A part of a photo drawn so many pixels large.
struct FieldView {
  Index height = 0, width = 0;  // of the whole photo
  Area part{};
};

// Calls take(y, weights) for each row [0, part.height) of the part, which lies in seen_area():
// weights [part.width], interpolated between the centres of cells (Catmull-Rom), may be below 0.
void interpolate(const Overlay& overlay, const OverlayWord& word, const FieldView& view,
                 const std::function<void(Index, std::span<const float>)>& take);

// The loops around the smallest part of the seen photo that holds a share of the weight on it, in
// shares of the photo's width and height; none where there is no weight.
std::vector<Loop> enclosing_loops(const Overlay& overlay, const OverlayWord& word, double share);

}  // namespace saccade

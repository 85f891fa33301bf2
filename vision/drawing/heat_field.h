// An attention map as a continuous field over the photo. Internal to vision/drawing/overlay*.cpp.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "vision/drawing/canvas.h"
#include "vision/drawing/overlay.h"

namespace saccade {

// The pixels of a photo, drawn to fill an area, whose centres the network saw.
PixelRect seen_area(const Geometry& geometry, const PixelRect& photo);

// A part of a photo that is drawn at a given size in pixels.
struct FieldView {
  Index height = 0, width = 0;  // of the whole photo
  PixelRect part{};
};

// Calls take(y, weights) for each row y in [0, part.height) of the part, which must lie in
// seen_area(). The weights [part.width] are interpolated between the centres of cells (Catmull-Rom)
// and may be below 0.
void interpolate(const Overlay& overlay, const OverlayWord& word, const FieldView& view,
                 const std::function<void(Index, std::span<const float>)>& take);

}  // namespace saccade

// An attention map as a continuous field over the photo, and how heat covers it. The pages of
// experiments/report draw by the same numbers.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "vision/drawing/canvas.h"
#include "vision/drawing/overlay.h"

namespace saccade {

constexpr double kUnseenCover = 0.65;  // how dark the part is that the network did not see
constexpr double kGreyShare = 0.5;     // so that colours of the photo are not taken for heat
constexpr double kColdVeil = 0.35;     // how much of the photo the colour map covers at weight 0
constexpr double kHotVeil = 0.7;       // the same at full heat
constexpr double kBlendVeil = 0.75;    // the same for `blend`, where weight 0 covers nothing

// The pixels of a photo, drawn to fill an area, whose centres the network saw.
PixelRect seen_area(const Geometry& geometry, const PixelRect& photo);

// A part of a photo that is drawn at a given size in pixels.
struct FieldView {
  Index height = 0, width = 0;  // of the whole photo
  PixelRect part{};
};

// Calls take(y, weights) for each row y in [0, part.height) of the part, which must lie in
// seen_area(). The weights [part.width] are interpolated between the centres of cells (Catmull-Rom)
// and may be below 0. Where regions are boxes, a pixel has the largest weight of those it lies in,
// and 0 outside of all. Where nobody knows their places, weights are 0.
void interpolate(const AttentionMap& map, const Geometry& geometry, const FieldView& view,
                 const std::function<void(Index, std::span<const float>)>& take);

}  // namespace saccade

// Draws one panel of an attention picture at any size, and holds what the panels of a page share.
// Internal to vision/drawing/overlay*.cpp.
#pragma once

#include <array>

#include "vision/drawing/canvas.h"
#include "vision/drawing/overlay.h"

namespace saccade {

// Throws the errors that draw_panel and draw_sheet document.
void check_overlay(const Overlay& overlay, const OverlayOptions& options);

// The photo of an overlay in another size.
std::shared_ptr<const Image> resized_photo(const Overlay& overlay, Index height, Index width);

// The photo for panels of one size: `plain`, and `below` as it lies under a map of a style.
struct PanelPhoto {
  std::shared_ptr<const Image> plain, below;
};
PanelPhoto panel_photo(std::shared_ptr<const Image> photo, const Geometry& geometry,
                       OverlayStyle style);

struct PanelOptions {
  const OverlayOptions* drawing = nullptr;
  const std::array<Colour, 256>* colours = nullptr;
  double full_heat = 1;  // the weight that gets the hottest colour; 0 draws no heat
};

// Draws the photo and a map on it, whose weights are in the overlay's measure.
void paint_panel(Canvas& canvas, const PixelRect& area, const Overlay& overlay,
                 const AttentionMap& map, const PanelPhoto& photo, const PanelOptions& options);

// The weight that is full heat for such a map; `shared` is that of the whole picture.
double full_heat(const AttentionMap& map, const OverlayOptions& options, double shared);

// The caption of an overlay, or the text that is shown when it is empty.
std::string caption_of(const Overlay& overlay);

}  // namespace saccade

// One panel of an attention picture at any size, and what panels of a page share. Internal to
// vision/overlay*.cpp.
#pragma once

#include <array>

#include "vision/canvas.h"
#include "vision/overlay.h"

namespace saccade {

// Throws what draw_panel and draw_sheet promise.
void check_overlay(const Overlay& overlay, const OverlayOptions& options);

// The photo of panels of one size, and as it lies under a map of a style.
struct PanelPhoto {
  std::shared_ptr<const Image> plain, below;
};
PanelPhoto panel_photo(std::shared_ptr<const Image> photo, const Geometry& geometry,
                       OverlayStyle style);

struct PanelOptions {
  const OverlayOptions* drawing = nullptr;
  const std::array<Colour, 256>* colours = nullptr;
  double full_heat = 1;  // the weight of the hottest colour; 0 draws no heat
};

// Draws one word's map and the photo below it.
void paint_panel(Canvas& canvas, const Area& area, const Overlay& overlay, const OverlayWord& word,
                 const PanelPhoto& photo, const PanelOptions& options);

// The weight of full heat for a word; `shared` is that of the whole picture.
double full_heat(const OverlayWord& word, const OverlayOptions& options, double shared);

// The caption of an overlay, and what stands for none.
std::string caption_of(const Overlay& overlay);

}  // namespace saccade

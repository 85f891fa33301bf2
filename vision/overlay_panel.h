// One panel of an attention picture at any size. Internal to vision/overlay*.cpp.
#pragma once

#include <array>

#include "vision/overlay.h"
#include "vision/text_painter.h"

namespace saccade {

// Throws what draw_panel promises.
void check_overlay(const Overlay& overlay, const OverlayOptions& options);

struct PanelOptions {
  HeatStyle style = HeatStyle::kSmooth;
  double full_heat = 1;  // the weight of the hottest colour; 0 draws no heat
};

// Draws the heat of one word on `picture`, which is the original at the panel's size.
void paint_heat(Image& picture, const Overlay& overlay, const OverlayWord& word,
                const std::array<Colour, 256>& colours, const PanelOptions& options);

// The weight of full heat for a word; `shared` is that of the whole picture.
double full_heat(const OverlayWord& word, const OverlayOptions& options, double shared);

}  // namespace saccade

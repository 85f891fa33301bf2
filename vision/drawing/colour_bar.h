// The bar below a drawing that says which number a colour stands for. Internal to vision/drawing.
#pragma once

#include <string>

#include "vision/drawing/canvas.h"

namespace saccade {

inline constexpr Index kColourBarWidth = 256;
inline constexpr Index kBarTextSize = 12;
// Of the bar with its name above and its numbers below.
inline constexpr Index kColourBarHeight = 4 * kBarTextSize + 14;

// A number as it is written beside colours.
std::string shown_number(double value);

// The bar's name, and the texts at the middle and at the end of its numbers, which begin at 0.
struct ColourBarText {
  std::string name, middle, end;
};

// Draws the bar with its upper left corner at (x, y).
void draw_colour_bar(Canvas& canvas, const std::array<Colour, 256>& colours, Index x, Index y,
                     const ColourBarText& text);

}  // namespace saccade

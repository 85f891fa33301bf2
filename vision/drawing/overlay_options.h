// How attention pictures are drawn.
#pragma once

#include <filesystem>

#include "core/base/enum_names.h"
#include "core/base/real.h"
#include "vision/drawing/colour.h"

namespace saccade {

// How a map is drawn on the photo.
enum class OverlayStyle { kHeat, kBlend, kAlpha, kCells };
// The names of the styles.
constexpr auto enum_table(OverlayStyle) {
  return enum_rows<OverlayStyle>(
      {{OverlayStyle::kHeat, "heat", "colours over a dimmed photo, interpolated between cells"},
       {OverlayStyle::kBlend, "blend", "colours over the photo, none where there is no weight"},
       {OverlayStyle::kAlpha, "alpha", "the photo, darker where there is less weight"},
       {OverlayStyle::kCells, "cells", "as heat, with nothing interpolated"}});
}
// Whether a style shows weights as colours.
constexpr bool has_colours(OverlayStyle style) { return style != OverlayStyle::kAlpha; }

// How many pixels of a sheet for a paper are an inch.
inline constexpr double kPaperPixelsPerInch = 300;
// The narrowest sheet for a paper, in centimetres.
inline constexpr double kNarrowestPaper = 3;
// The widest sheet for a paper, in centimetres.
inline constexpr double kWidestPaper = 60;

// Options of drawings. Those of sheets concern Captioner::draw() alone.
struct OverlayOptions {
  OverlayStyle style = OverlayStyle::kHeat;  // how maps are drawn
  HeatScale scale = HeatScale::kShared;      // what full heat is
  double fixed_max = 1;                      // the weight that is full heat under HeatScale::kFixed
  ColourMap colours = ColourMap::kInferno;   // in styles with has_colours()
  Index columns = 0;  // panels per row of a sheet; 0: as many as make a wide page, or fit the width
  // Of a sheet on paper, in centimetres: its letters then have the size of a paper's, and pixels
  // are so many per inch (kPaperPixelsPerInch). 0: as its panels need.
  double paper_width = 0;
  bool title = true;        // whether the title of an overlay stands above its caption
  Index panel_width = 320;  // of a sheet, in pixels; smaller where the sheet would be too large
  // Of a panel by itself, in pixels: that of a larger photo is made smaller; 0: as large as the
  // photo.
  Index longest_side = 0;
  std::filesystem::path font{};  // empty: DejaVu Sans where the system has it
};

}  // namespace saccade

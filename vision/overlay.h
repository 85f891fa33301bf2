// Attention pictures: where a model looked for each word, drawn on the photo without a display.
// Heat goes back through the geometry, so crop, squash and mirroring are undone.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/enum_names.h"
#include "vision/colour.h"
#include "vision/geometry.h"
#include "vision/image.h"

namespace saccade {

enum class HeatStyle { kSmooth, kCells };
constexpr auto enum_table(HeatStyle) {
  return enum_rows<HeatStyle>({{HeatStyle::kSmooth, "smooth", "interpolated between cells"},
                               {HeatStyle::kCells, "cells", "each cell as it is"}});
}

struct OverlayWord {
  std::string text;
  std::vector<float> weights;              // [rows * cols], not negative
  std::optional<float> gate{};             // beta, how much of the context is let in
  std::optional<Index> sampled{};          // the cell hard attention chose
  std::optional<float> log_probability{};  // of the word
};

// One caption of one image.
struct Overlay {
  std::shared_ptr<const Image> image;  // the original, which several overlays may show
  Geometry geometry;
  Index rows = 0, cols = 0;  // of the attention grid
  std::vector<OverlayWord> words;
  std::string title{};    // above the caption; a model's or a file's name
  std::string caption{};  // empty: the words, joined
};

struct OverlayOptions {
  HeatStyle style = HeatStyle::kSmooth;
  HeatScale scale = HeatScale::kShared;
  double fixed_max = 1;  // the weight of full heat under HeatScale::kFixed
  ColourMap colours = ColourMap::kInferno;
  Index columns = 0;        // panels a row of a sheet; 0: as many as make a wide page
  Index panel_width = 320;  // of a sheet, in pixels; made smaller where a sheet would be too large
  std::filesystem::path font{};  // empty: DejaVu Sans where the system has it
};

// A sheet never has more pixels than this: its panels shrink instead.
inline constexpr Index kMaxSheetPixels = 24'000'000;

// The largest weight of all words; 0 without words.
double largest_weight(const Overlay& overlay);

// One word at the size of the original: heat over what the network saw, the rest darkened, the
// sampled cell outlined. Throws ShapeError when weights, grid, geometry and image do not fit or a
// weight is not finite.
Image draw_panel(const Overlay& overlay, Index word, const OverlayOptions& options);

// A page: caption, the plain image, a panel a word with word, gate and probability above it, and a
// colour bar. Throws as draw_panel, UsageError on options outside their range, and DataError when
// even the smallest panels make the page too large or text needs a font that is not installed.
Image draw_sheet(const Overlay& overlay, const OverlayOptions& options);

// The pages of several models under each other, with their titles and one scale for all (but
// HeatScale::kPerWord). Throws ShapeError when there is none, else as draw_sheet.
Image draw_comparison(std::span<const Overlay> overlays, const OverlayOptions& options);

}  // namespace saccade

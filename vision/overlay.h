// Attention pictures: the map of each word, drawn on the photo without a display. The heat passes
// back through the geometry, so that crop, squash and mirroring are undone.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/enum_names.h"
#include "vision/colour.h"
#include "vision/encoders/receptive_field.h"
#include "vision/geometry.h"
#include "vision/image.h"
#include "vision/picture_format.h"

namespace saccade {

// How a map is drawn on the photo.
enum class OverlayStyle { kHeat, kBlend, kAlpha, kMask, kContour, kCells };
constexpr auto enum_table(OverlayStyle) {
  return enum_rows<OverlayStyle>(
      {{OverlayStyle::kHeat, "heat", "colours over a paler photo, interpolated between cells"},
       {OverlayStyle::kBlend, "blend", "colours over the photo, none where there is no weight"},
       {OverlayStyle::kAlpha, "alpha", "the photo, darker where there is less weight"},
       {OverlayStyle::kMask, "mask", "the photo where a share of the weight lies, dark elsewhere"},
       {OverlayStyle::kContour, "contour",
        "lines around the smallest parts that hold shares of the weight"},
       {OverlayStyle::kCells, "cells", "as heat, with nothing interpolated"}});
}
// Whether a style shows weights as colours, and whether it compares the weights of different words.
constexpr bool has_colours(OverlayStyle style) {
  return style == OverlayStyle::kHeat || style == OverlayStyle::kBlend ||
         style == OverlayStyle::kCells;
}
constexpr bool has_scale(OverlayStyle style) {
  return has_colours(style) || style == OverlayStyle::kAlpha;
}

struct OverlayWord {
  std::string text;
  std::vector<float> weights;              // [rows * cols], not negative
  std::optional<float> gate{};             // beta: how much of the context is taken
  std::optional<Index> sampled{};          // the cell that hard attention chose
  std::optional<float> log_probability{};  // of the word
  bool uniform = false;                    // the map is nearly flat, and its label is "uniform"
};

// One caption of one image.
struct Overlay {
  std::shared_ptr<const Image> image;  // the original; overlays may share it
  Geometry geometry;
  Index rows = 0, cols = 0;  // of the attention grid
  std::vector<OverlayWord> words;
  std::string title{};    // above the caption: the name of a model or file
  std::string caption{};  // empty: the words, joined
  std::string weight_name = "attention weight";
  std::optional<double> mark{};           // a weight that the colour bar marks
  std::optional<ReceptiveField> field{};  // to outline what the sampled cells could see
};

struct OverlayOptions {
  OverlayStyle style = OverlayStyle::kHeat;
  HeatScale scale = HeatScale::kShared;
  double fixed_max = 1;  // the weight that is full heat under HeatScale::kFixed
  ColourMap colours = ColourMap::kInferno;
  // Shares of a word's weight: contours enclose each of them, and a mask leaves the largest
  // visible.
  std::vector<double> shares{0.5, 0.8};
  Index columns = 0;        // panels per row of a sheet; 0: as many as make a wide page
  Index panel_width = 320;  // of a sheet, in pixels; smaller where the sheet would be too large
  std::filesystem::path font{};   // empty: DejaVu Sans where the system has it
  double seconds_per_word = 0.8;  // in an animation; the last word stays three times as long
};

// No sheet has more pixels than this: its panels shrink instead.
inline constexpr Index kMaxSheetPixels = 24'000'000;

// The largest weight over all words; 0 when there are no words.
double largest_weight(const Overlay& overlay);

// Draws one word at the size of the original: the map over what the network saw, the rest darkened,
// and the sampled cell outlined. Throws ShapeError when weights, grid, geometry and image do not
// fit together or a weight is not finite.
Image draw_panel(const Overlay& overlay, Index word, const OverlayOptions& options);

// Draws a page: the caption, the plain image, and one panel per word with the word, gate and
// probability above it, and a legend of the map's colours or lines. Several models have one strip
// each, below each other, with words of the same position in the same column and one scale for all
// (except under HeatScale::kPerWord). Throws as draw_panel does, ShapeError where there is no
// overlay, UsageError on options outside their range, and DataError when even the smallest panels
// make the page too large or its text needs a font that is not installed.
Image draw_sheet(std::span<const Overlay> overlays, const OverlayOptions& options);

// The same drawings as files: a panel (not as APNG) or a sheet. As APNG, a sheet is an animation
// that shows one word after the other, with the word marked in the caption below; several models
// stand side by side. Both throw as the functions above do.
std::string panel_file(const Overlay& overlay, Index word, const OverlayOptions& options,
                       PictureFormat format);
std::string sheet_file(std::span<const Overlay> overlays, const OverlayOptions& options,
                       PictureFormat format);

}  // namespace saccade

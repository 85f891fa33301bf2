// Attention pictures: the map of each word, drawn on the photo without a display. The heat passes
// back through the geometry, so that crop, squash and mirroring are undone.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "vision/drawing/overlay_options.h"
#include "vision/drawing/picture_format.h"
#include "vision/images/geometry.h"
#include "vision/images/image.h"
#include "vision/images/receptive_field.h"

namespace saccade {

struct OverlayWord {
  std::string text;
  std::vector<float> weights;              // [grid.cells()], not negative
  std::optional<float> gate{};             // beta: how much of the context is taken
  std::optional<Index> chosen{};           // the cell that hard attention chose
  std::optional<float> log_probability{};  // of the word
  bool uniform = false;                    // the map is nearly flat, and its label is "uniform"
};

// One caption of one image.
struct Overlay {
  std::shared_ptr<const Image> image;  // the original; overlays may share it
  Geometry geometry;
  GridSize grid{};  // of the attention
  // The tokens of a text, of which `image` is a picture; they are the first cells of the grid, and
  // the others are padding. Empty for a photo.
  std::vector<std::string> tokens{};
  std::vector<OverlayWord> words;
  std::string title{};    // above the caption: the name of a model or file
  std::string caption{};  // empty: the words, joined
  std::string weight_name = "attention weight";
  std::optional<double> mark{};           // a weight that the colour bar marks
  std::optional<ReceptiveField> field{};  // to outline what the chosen cells could see
};

// No sheet has more pixels than this: its panels shrink instead.
inline constexpr Index kMaxSheetPixels = 24'000'000;

// The largest weight over all words; 0 when there are no words.
double largest_weight(const Overlay& overlay);

// Draws one word at the size of the original, or smaller (OverlayOptions::longest_side): the map
// over what the network saw, the rest darkened, and the chosen cell outlined. Throws ShapeError
// when weights, grid, geometry and image do not fit together or a weight is not finite.
Image draw_panel(const Overlay& overlay, Index word, const OverlayOptions& options);

// Draws a page: the caption, the plain image, and one panel per word with the word, gate and
// probability above it, and a legend of the map's colours. Several models have one strip
// each, below each other, with words of the same position in the same column and one scale for all
// (except under HeatScale::kPerWord). Throws as draw_panel does, ShapeError where there is no
// overlay, UsageError on options outside their range, and DataError when even the smallest panels
// make the page too large or its text needs a font that is not installed.
Image draw_sheet(std::span<const Overlay> overlays, const OverlayOptions& options);

// The same drawings as files. Both throw as the functions above do.
std::string panel_file(const Overlay& overlay, Index word, const OverlayOptions& options,
                       PictureFormat format);
std::string sheet_file(std::span<const Overlay> overlays, const OverlayOptions& options,
                       PictureFormat format);

}  // namespace saccade

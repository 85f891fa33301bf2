// Attention pictures: the map of each word, drawn on the photo without a display. The heat passes
// back through the geometry, so that crop, squash and mirroring are undone.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/attention/map.h"
#include "vision/drawing/overlay_options.h"
#include "vision/drawing/picture_format.h"
#include "vision/images/geometry.h"
#include "vision/images/image.h"
#include "vision/images/receptive_field.h"

namespace saccade {

// A map and what stands above it: a word, or the name of the map.
struct LabelledMap {
  std::string text;
  AttentionMap map;
  std::optional<double> log_probability{};  // of the word
};

// One caption of one image.
struct Overlay {
  std::shared_ptr<const Image> image;  // the original; overlays may share it
  Geometry geometry;
  // The tokens of a text, of which `image` is a picture; they are the first regions, and the others
  // are padding. Empty for a photo.
  std::vector<std::string> tokens{};
  std::vector<LabelledMap> words;
  std::string title{};                       // above the caption: the name of a model or file
  std::string caption{};                     // empty: the words, joined
  MapMeasure measure = MapMeasure::kWeight;  // what of the maps is drawn
  std::optional<ReceptiveField> field{};     // to outline what the chosen regions could see
};

// No sheet has more pixels than this: its panels shrink instead.
inline constexpr Index kMaxSheetPixels = 24'000'000;

// The largest weight over all words in the overlay's measure; 0 when there are no words.
double largest_weight(const Overlay& overlay);

// Draws one word at the size of the original, or smaller (OverlayOptions::longest_side): the map
// over what the network saw, the rest darkened, and the chosen region outlined. Throws ShapeError
// when weights, layout, geometry and image do not fit together, a weight is not finite or a gate
// is missing that the measure needs.
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

// Whether a model attended to what its nouns name: sums over the nouns of many captions, beside
// those of a map that always lies in the middle.
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "captioning/metrics/grounding.h"
#include "captioning/metrics/map_fit.h"
#include "captioning/scoring/caption_scores.h"
#include "captioning/search/search.h"
#include "captioning/statistics/image_statistics.h"
#include "vision/encoders/grid.h"
#include "vision/geometry.h"

namespace saccade {

// A noun of a caption that names things in the picture.
struct NamedObjects {
  std::size_t word = 0;    // the noun's place in the caption
  std::vector<Box> boxes;  // in pixels of the picture; empty where the picture has nothing of it
  std::vector<Box> seen;   // the same in pixels of what the network saw, cut to it; those outside
                           // left out
};

std::vector<Box> seen_boxes(std::span<const Box> boxes, const Geometry& geometry);

// The cells that a grid has in what a network saw.
AttentionGrid cells_of(const GridShape& grid, const Geometry& geometry);

// What is measured of the map of a noun, each from 0 to 1 but the second, which goes to the number
// of cells:
//   pointing_accuracy      1 where the cell of the largest weight overlaps a box (tolerance of half
//                          a cell), else 0
//   attention_correctness  the share of the weight inside the boxes (BoxedWord::correctness)
//   attention_correctness_normalized  that by the boxes' share of the picture: 1 for equal weights
//   energy_pointing        the share inside after interpolation (BoxedWord::energy)
//   loc_accuracy           1 where the box around the map's object overlaps one of the noun's by
//                          more than half (LocalizationRule), else 0
//   pointing_15px          1 where the brightest point of the map as it is drawn lies within 15
//                          pixels of a box, of a picture of 224 (peak_point.h), else 0: for grids
//                          of any fineness the same
inline constexpr std::array<std::string_view, 6> kMapMeasures = {
    "pointing_accuracy", "attention_correctness", "attention_correctness_normalized",
    "energy_pointing",   "loc_accuracy",          "pointing_15px"};
using MapMeasures = std::array<double, kMapMeasures.size()>;
// Beside these, of many nouns: the mean correctness by that of equal weights, as Liu et al. (2017)
// compare them. Large boxes count for more than in the normalized one, which is a mean of quotients
// and is led by small boxes.
inline constexpr std::string_view kCorrectnessOverUniform = "attention_correctness_over_uniform";

struct GroundingScores {
  // With a tolerance of half a cell, with none, and of half a cell for the cell that was taken
  // instead (sampling). Nouns whose boxes the network did not see count as without boxes.
  PointingTally pointing, pointing_centre, pointing_chosen;
  // Summed over the nouns with boxes: of the model's maps, of centre_map(), and of equal weights,
  // which point at a place at random.
  MapMeasures model{}, centre_bias{}, uniform{};
  // Of each caption: its nouns with boxes, the boxes' shares of the picture (the correctness of
  // equal weights) and the model's sums over them.
  std::vector<double> nouns, area_shares;
  std::array<std::vector<double>, kMapMeasures.size()> sums;
  bool has_maps = false;  // some map was not uniform: the model has an attention to speak of

  // Means over nouns, then attention_correctness_over_uniform; empty without a noun.
  NamedScores model_scores() const;
  NamedScores centre_bias_scores() const;
  NamedScores uniform_scores() const;
  // pointing_accuracy, pointing_centre_accuracy and pointing_chance, pointing_nouns (how many; the
  // only one without any), pointing_chosen_accuracy where regions were taken, the others of the
  // model, those of the centre bias as centre_bias_*, and uniform_attention_correctness and
  // uniform_pointing_15px; nothing without maps.
  NamedScores corpus() const;
  // The model's, caption by caption; nothing without maps or nouns.
  std::vector<ImageStatistics> metrics() const;

  // Adds a caption whose weights are over a grid that `geometry` puts on the picture. Throws
  // ShapeError when they do not fit.
  void add(std::span<const NamedObjects> named, const DecodedCaption& decoded,
           const GridShape& grid, const Geometry& geometry);
  GroundingScores& operator+=(const GroundingScores& later);
};

// As GroundingScores::metrics(), of images with any number of captions each.
std::vector<ImageStatistics> metrics_by_image(std::span<const GroundingScores> images);

}  // namespace saccade

// Whether a model attended to what its nouns name: sums over the nouns of many captions, beside
// those of a map that always lies in the middle.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "captioning/model/maps/decoded_caption.h"
#include "captioning/scoring/scores/caption_scores.h"
#include "captioning/scoring/statistics/image_statistics.h"
#include "captioning/scoring/statistics/resampling.h"
#include "captioning/study/grounding/grounding.h"
#include "captioning/study/grounding/map_fit.h"
#include "vision/images/geometry.h"

namespace saccade {

// A noun of a caption that names things in the picture.
struct NamedObjects {
  std::size_t word = 0;     // the noun's place in the caption
  std::vector<Rect> boxes;  // in pixels of the picture; empty where the picture has nothing of it
  std::vector<Rect> seen;   // the same in pixels of what the network saw, cut to it; those outside
                            // left out
};

std::vector<Rect> seen_boxes(std::span<const Rect> boxes, const Geometry& geometry);

// The regions of attention, in what a network saw.
AttentionGrid cells_of(const RegionLayout& layout, const Geometry& geometry);

// What is measured on the map of a noun. All measures go from 0 to 1, except the normalized
// correctness, which may reach the number of cells:
//   pointing_accuracy      1 where the cell of the largest weight overlaps a box (tolerance of half
//                          a cell), else 0; cells that share the largest weight count in part
//   attention_correctness  the share of the weight inside the boxes (BoxedWord::correctness)
//   attention_correctness_normalized  that share divided by the boxes' share of the picture: 1 for
//                          equal weights
//   energy_pointing        the share inside after interpolation (BoxedWord::energy)
//   loc_accuracy           1 where the box around the map's object overlaps one of the noun's by
//                          more than half (LocalizationRule), else 0
//   pointing_15px          1 where the brightest point of the map as it is drawn lies within 15
//                          pixels of a box, for a picture of 224 pixels (peak_point.h), else 0; it
//                          does not depend on how fine the grid is; a flat map has what a random
//                          point reaches
inline constexpr std::array<std::string_view, 6> kMapMeasures = {
    "pointing_accuracy", "attention_correctness", "attention_correctness_normalized",
    "energy_pointing",   "loc_accuracy",          "pointing_15px"};
using MapMeasures = std::array<double, kMapMeasures.size()>;
using MapSums = std::array<std::vector<double>, kMapMeasures.size()>;  // caption by caption
// One further number is of many nouns together: their mean correctness divided by that of equal
// weights, as Liu et al. (2017) compare them. Large boxes count for more in it than in the
// normalized correctness, which is a mean of quotients that small boxes dominate.
inline constexpr std::string_view kCorrectnessOverUniform = "attention_correctness_over_uniform";
// The pointing of regions that were taken, where attention takes some.
inline constexpr std::string_view kPointingChosenAccuracy = "pointing_chosen_accuracy";

// By how much a measure of the model's maps is above that of the centre bias, noun by noun.
struct CentreDifference {
  std::string metric;
  double difference = 0;
  Interval interval;   // 95 %, by the bootstrap over images
  double p_value = 1;  // by exchanging the two image by image (randomisation.h)
};

struct GroundingScores {
  // Pointing of the model's maps, with a tolerance of half a cell and with none, and of the cell
  // that was taken instead (sampling), with half a cell. Nouns whose boxes the network did not see
  // count as without boxes.
  PointingTally pointing, pointing_centre, pointing_chosen;
  // Sums over the nouns with boxes: of the model's maps, of centre_map(), and of equal weights,
  // which point at a random place.
  MapMeasures model{}, centre_bias{}, uniform{};
  // For each caption: its nouns with boxes, the boxes' shares of the picture (the correctness of
  // equal weights), and the sums over the nouns of the model's maps and of centre_map().
  std::vector<double> nouns, area_shares;
  MapSums sums, centre_sums;
  bool has_maps = false;  // whether some map was not uniform, so that there is attention to judge

  // The means over nouns, then attention_correctness_over_uniform; empty without a noun.
  NamedScores model_scores() const;
  NamedScores centre_bias_scores() const;
  NamedScores uniform_scores() const;
  // pointing_accuracy, pointing_centre_accuracy and pointing_chance; pointing_nouns, their number,
  // which stands alone where it is 0; pointing_chosen_accuracy where regions were taken; the
  // model's further measures; those of the centre bias as centre_bias_*; those of equal weights as
  // uniform_*, as far as the registry of metrics has them (metric_registry.h). Empty without
  // maps.
  NamedScores corpus() const;
  // The model's measures, caption by caption; empty without maps or nouns.
  std::vector<ImageStatistics> metrics() const;
  // The model's measures minus those of the centre bias, for the same nouns; empty without maps or
  // nouns. Captions are resampled, so each has to be of another image (joined_by_image).
  std::vector<CentreDifference> against_centre() const;

  // Adds a caption with maps of regions that `geometry` puts on the picture. Throws ShapeError when
  // they do not fit.
  void add(std::span<const NamedObjects> named, const DecodedCaption& decoded,
           const Geometry& geometry);
  GroundingScores& operator+=(const GroundingScores& later);

 private:
  std::vector<ImageStatistics> statistics(const MapSums& of) const;
};

// The scores of images with any number of captions each, as if each image had one caption.
GroundingScores joined_by_image(std::span<const GroundingScores> images);

}  // namespace saccade

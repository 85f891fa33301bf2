// Outlier patches (Darcet et al. 2024, "Vision transformers need registers", section 2): a large
// transformer stores facts about the whole image in a few patches, which then show nothing of their
// own place and draw attention to it. Their tokens are many times longer than the others.
#pragma once

#include <optional>
#include <span>

#include "captioning/model/inputs.h"
#include "captioning/model/model.h"
#include "captioning/scoring/scores/caption_scores.h"

namespace saccade {

// A patch is an outlier if its token is longer than this many times the median of its image's
// patches. The paper cuts at a fixed norm, at a gap in a model's histogram. A multiple of the
// median needs neither histogram nor scale; as a factor, 3 is halfway between the bulk and the
// tenfold norms that the paper reports.
constexpr double kOutlierNorm = 3;

// Of the Euclidean norms of patch tokens behind the last block, before the last normalisation,
// which would make them equal. The class token and registers do not count.
struct PatchNorms {
  Index images = 0, patches = 0;
  Index outliers = 0, images_with = 0;  // outliers, and images that have one
  double medians = 0, largest = 0;      // sums over images: of the median, and of largest / median

  // Adds an image with tokens [L, D]. Throws ShapeError without patches, and for numbers that are
  // not finite.
  void add(ConstView tokens);
  void add(const PatchNorms& other);
  // outlier_share (of patches), images_with_outliers (as a share), largest_over_median and
  // median_norm (means over images; an image of zeros has no ratio and adds none).
  NamedScores scores() const;
};

// The norms of some images of a data set; none where the encoder has no tokens. Any number of
// threads gives the same bits.
std::optional<PatchNorms> patch_norms(const CaptionModel& model, const DatasetInputs& inputs,
                                      std::span<const Index> images);

}  // namespace saccade

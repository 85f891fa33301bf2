// Outlier patches (Darcet et al. 2024, "Vision transformers need registers", section 2): a large
// transformer keeps notes about the whole image in a few patches, which then say nothing of their
// own place and draw attention to it. Their tokens are many times as long as the others.
#pragma once

#include <optional>
#include <span>

#include "captioning/inputs.h"
#include "captioning/model.h"
#include "captioning/scoring/caption_scores.h"

namespace saccade {

// A patch is an outlier where its token is longer than this many times the median of its image's
// patches. The paper cuts at a fixed norm, where a model's histogram parts; a multiple of the
// median needs no histogram and no scale, and 3 lies, as a factor, halfway between the bulk and the
// tenfold norms that it reports.
constexpr double kOutlierNorm = 3;

// Of the Euclidean norms of patch tokens behind the last block, before the last normalisation,
// which would make them equal; the class token and registers do not count.
struct PatchNorms {
  Index images = 0, patches = 0;
  Index outliers = 0, images_with = 0;  // patches that are, and images that have one
  double medians = 0, largest = 0;  // sums over images: of the median, and of the largest over it

  // One more image with tokens [L, D]. Throws ShapeError without patches or on numbers that are not
  // finite.
  void add(ConstView tokens);
  void add(const PatchNorms& other);
  // outlier_share (of patches), images_with_outliers (share), largest_over_median and median_norm
  // (means over images; an image of zeros has no ratio and adds none).
  NamedScores scores() const;
};

// The norms of some images of a data set; none where the encoder has no tokens. The same bits for
// any number of threads.
std::optional<PatchNorms> patch_norms(const Captioner& model, const DatasetInputs& inputs,
                                      std::span<const Index> images);

}  // namespace saccade

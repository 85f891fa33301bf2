// Whether the gradient reaches what a model attends to: the weights of regions against the norms of
// their gradients, over the captions of some images.
#pragma once

#include <span>
#include <vector>

#include "captioning/evaluation/decode_images.h"
#include "captioning/evaluation/region_gradients.h"

namespace saccade {

// Of a caption: [words, regions] each.
struct RegionNorms {
  Index words = 0, regions = 0;
  std::vector<double> weights, direct, score;  // score and direct: Euclidean norms
};
RegionNorms norms_of(const RegionGradients& gradients);

// One path, direct or score (region_gradients.h). Correlations are Pearson's, of weight and norm.
struct PathFlow {
  double correlation = 0;     // over all pairs of a word and a region
  double within_words = 0;    // mean over words of the one over their regions
  Index undefined_words = 0;  // words whose weights or norms do not vary; not in that mean
  double mean_norm = 0;       // over all pairs
};

// NaN where nothing varies, or there is nothing.
struct GradientFlow {
  // Also for hard models, where a region that was not drawn has next to no gradient.
  static constexpr Regime kRegime = Regime::kExpectation;
  PathFlow direct, score;
  Index captions = 0, words = 0, pairs = 0;
};
GradientFlow flow_of(std::span<const RegionNorms> captions);

// The flow over all captions of some images, with ends, whose cost is -log p of the caption.
// Captions without words are left out. Throws DataError when no caption is left, and ShapeError
// where attention is not composed.
GradientFlow measure_gradient_flow(const Captioner& model, const Dataset& dataset,
                                   const DatasetInputs& inputs, std::span<const Index> images);

}  // namespace saccade

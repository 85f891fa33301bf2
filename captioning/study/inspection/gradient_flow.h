// Whether the gradient reaches what a model attends to: the weights of regions and the norms of
// their gradients, compared over the captions of some images, for every layer and head of the
// decoder.
#pragma once

#include <span>
#include <vector>

#include "captioning/model/decoders/regime.h"
#include "captioning/model/inputs.h"
#include "captioning/model/model.h"
#include "captioning/study/inspection/region_gradients.h"

namespace saccade {

// The numbers of one caption in one layer and head, or in all heads of a layer, [words, regions]
// each.
struct RegionNorms {
  Index words = 0, regions = 0;
  std::vector<double> weights, direct, score;  // score and direct: Euclidean norms
};
RegionNorms norms_of(const HeadGradients& gradients);

// One path of the gradient, direct or score (region_gradients.h). Correlations are Pearson's, of
// weight and norm.
struct PathFlow {
  double correlation = 0;     // over all pairs of a word and a region
  double within_words = 0;    // over the regions of each word, then averaged over words
  Index undefined_words = 0;  // words whose weights or norms do not vary, left out of that mean
  double mean_norm = 0;       // over all pairs
};

// Mean norms by place: of word t of the captions that are so long, and of region l.
struct PlaceNorms {
  std::vector<double> by_word, by_region;
};

// What goes through one head of a layer, or through all of its heads. Correlations and means are
// NaN where nothing varies, and where there is nothing.
struct HeadFlow {
  Index layer = 0, head = 0;  // from 0; head -1: all heads of the layer
  PathFlow direct, score;
  PlaceNorms direct_norms, score_norms;
};

// The flow over all layers: every pair of a word and a region counts once for each layer, with the
// mean of the layer's maps and the gradient through its keys and values.
struct GradientFlow {
  // Also for hard models, because a region that was not drawn has nearly no gradient.
  static constexpr Regime kRegime = Regime::kExpectation;
  PathFlow direct, score;
  Index captions = 0, words = 0, pairs = 0, layers = 0;
  std::vector<HeadFlow> heads;  // by layer: all of its heads and, if there are several, each
};

// The two paths over some captions.
PathFlow direct_flow(std::span<const RegionNorms> captions);
PathFlow score_flow(std::span<const RegionNorms> captions);

// The flow over all captions of some images, with their ends. The cost is -log p of the caption.
// Captions without words are left out. Throws DataError when no caption is left, and ShapeError
// where attention is not composed.
GradientFlow measure_gradient_flow(const CaptionModel& model, const Dataset& dataset,
                                   const DatasetInputs& inputs, std::span<const Index> images);

}  // namespace saccade

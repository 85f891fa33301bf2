// Which images are alike to a model's encoder.
#pragma once

#include <span>
#include <vector>

#include "captioning/inputs.h"
#include "captioning/model.h"

namespace saccade {

// The mean over the grid of the features of every image, scaled to length 1 (zeros stay zeros),
// [N, D]. The features are those of the frozen encoder, or of the model's own where it is
// trainable.
Tensor image_vectors(const Captioner& model, const DatasetInputs& inputs,
                     std::span<const Index> images);

// For every row of queries [M, D] the `count` rows of candidates [N, D] with the largest dot
// products, the largest first and equal ones in their order, or fewer where there are fewer. Only
// the similarities of a few queries are held at a time, so that N may be large.
std::vector<std::vector<Index>> nearest_rows(ConstView queries, ConstView candidates, Index count);

}  // namespace saccade

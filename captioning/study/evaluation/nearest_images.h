// Which images are similar to a model's encoder.
#pragma once

#include <span>
#include <vector>

#include "captioning/model/inputs.h"
#include "captioning/model/model.h"

namespace saccade {

// The mean over the grid of every image's features, scaled to length 1 (zeros stay zeros), [N, D].
// The features are those of the frozen encoder, or those of the model's own encoder.
Tensor image_vectors(const CaptionModel& model, const DatasetInputs& inputs,
                     std::span<const Index> images);

// For every row of queries [M, D], the `count` rows of candidates [N, D] with the largest dot
// products, or all where there are fewer. The largest comes first, and equal ones keep their order.
// Only the similarities of a few queries are held at a time, so that N may be large.
std::vector<std::vector<Index>> nearest_rows(ConstView queries, ConstView candidates, Index count);

}  // namespace saccade

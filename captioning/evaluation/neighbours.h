// Which images look alike to a model's encoder.
#pragma once

#include <span>
#include <vector>

#include "captioning/inputs.h"
#include "captioning/model.h"

namespace saccade {

// The mean over the grid of each image's features, scaled to length 1 (zeros stay zeros) [N, D]:
// what the frozen encoder gives, or the model's own encoder where it is trainable.
Tensor image_vectors(const Captioner& model, const DatasetInputs& inputs,
                     std::span<const Index> images);

// Of each row of queries [M, D] the `count` rows of candidates [N, D] with the largest dot product,
// the largest first, equal ones in their order; fewer where there are fewer. The similarities of a
// few queries at a time are held, so that N may be large.
std::vector<std::vector<Index>> nearest_rows(ConstView queries, ConstView candidates, Index count);

}  // namespace saccade

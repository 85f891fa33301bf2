// The inputs of several images of a data set as one batch for a model's encoder.
#pragma once

#include <span>

#include "captioning/inputs.h"
#include "core/tensor/tensor.h"

namespace saccade {

// [images, ...inputs.shape()], in order. Throws what DatasetInputs::load throws.
Tensor input_batch(const DatasetInputs& inputs, std::span<const Index> images);

}  // namespace saccade

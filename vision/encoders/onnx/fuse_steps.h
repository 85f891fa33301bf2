// Merges steps into the step before them where that is cheaper.
#pragma once

#include "vision/encoders/onnx/read_onnx.h"

namespace saccade {

// Folds normalisations into the weights of the convolution before them, and clipping to [0,
// infinity) or [0, 6] into the convolution before it, wherever nothing else reads the value in
// between. Step i is a normalisation where normalizations[i] is true.
void fuse_steps(OnnxModel& model, std::vector<bool> normalizations);

}  // namespace saccade

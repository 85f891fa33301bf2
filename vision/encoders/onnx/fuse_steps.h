// Steps that are cheaper as a part of the step before them.
#pragma once

#include "vision/encoders/onnx/read_onnx.h"

namespace saccade {

// Puts normalisations into the weights of convolutions before them, and clipping to [0, infinity)
// and [0, 6] into convolutions before it, wherever nothing else reads what is between. Step i is a
// normalisation where normalizations[i].
void fuse_steps(OnnxModel& model, std::vector<bool> normalizations);

}  // namespace saccade

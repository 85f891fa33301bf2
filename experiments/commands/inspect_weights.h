// Weights that other programs published, for `saccade inspect`.
#pragma once

#include <string>

#include "core/base/real.h"

namespace saccade {

// Whether a path is a file or folder of weights and no checkpoint, no run, no captioner and no ONNX
// file, by what it holds; a file that ends in .safetensors always is.
bool are_weights(const std::string& path);

// Prints which network the weights are, whose names they have, its grid, how pictures are prepared
// for it and the lines of a config, and lists the tensors. image_size 0: what the files say, or
// else 224. Returns the exit code; throws as open_tensors and make_encoder do.
int inspect_weights(const std::string& path, Index image_size, bool json);

}  // namespace saccade

// The layers of ONNX files, and which of them encoder.type onnx_native can have as grids.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/real.h"

namespace saccade {

struct OnnxLayer {
  std::string name, type;  // `type` is the operator of its node
  // The shape [1, features, rows, cols] of its output; empty where it cannot be a grid, because it,
  // or a node before it, cannot be run, or its output has other axes.
  std::vector<Index> shape;
};

// Lists the layers of a model for square images of the given size, in order of computation. Throws
// DataError when the file, or one with its weights, is missing or damaged, and where the model does
// not take an image.
std::vector<OnnxLayer> list_onnx_layers(const std::filesystem::path& model, Index image_size);

}  // namespace saccade

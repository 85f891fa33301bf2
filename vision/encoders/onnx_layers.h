// The layers of ONNX files, and which of the encoders onnx and onnx_native can have them as grids.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/real.h"
#include "vision/encoders/encoder_config.h"

namespace saccade {

struct OnnxLayer {
  std::string name, type;  // `type` is the operator of its node
  // The shape of its output, [1, features, rows, cols] where the layer can be a grid; empty where
  // neither encoder can run it.
  std::vector<Index> shape;
  bool onnx = false, onnx_native = false;  // whether encoder.type of this name can run it
};

// Lists the layers of a model for square images of the given size, in order of computation. Throws
// DataError when the file, or one with its weights, is missing or damaged, and where the model does
// not take an image.
std::vector<OnnxLayer> list_onnx_layers(const std::filesystem::path& model, Index image_size);

// What to do where the encoder of this config cannot run its layers: `; encoder.type onnx can`
// where the other of the two can, and otherwise nothing.
std::string other_onnx_encoder(const EncoderConfig& config);

}  // namespace saccade

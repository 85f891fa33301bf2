// From an ONNX file to steps that training can change.
#pragma once

#include <filesystem>

#include "vision/encoders/onnx/onnx_graph.h"

namespace saccade {

struct OnnxModel {
  OnnxGraph graph;
  std::vector<OnnxWeights> weights;  // one a step, empty where it has none
};

// What leads from the image to a layer, which is named by its node or by what the node gives.
// Normalisations are a part of the convolution before them, or a depthwise one of a single weight a
// channel; relu and relu6 a part of the convolution before them. Throws DataError when the file is
// missing or no ONNX model, when no layer has the name (naming the nearest), and for the first
// operator before the layer that has no step: its name, its node, the reason and what to do.
OnnxModel read_onnx(const std::filesystem::path& file, const std::string& layer);

}  // namespace saccade

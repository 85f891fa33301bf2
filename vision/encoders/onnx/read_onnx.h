// Turns an ONNX file into steps that training can change.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

#include "vision/encoders/last_stage.h"
#include "vision/encoders/onnx/onnx_graph.h"

namespace saccade {

struct OnnxModel {
  OnnxGraph graph;
  std::vector<OnnxWeights> weights;  // one per step; empty where the step has no weights
};

// Reads what leads from the image to the layers, which are named by their nodes or by the nodes'
// outputs. A normalisation becomes a part of the convolution before it, or otherwise a depthwise
// convolution with one weight per channel; relu and relu6 become parts of the convolution before
// them. Throws DataError when the file is missing or not an ONNX model, when a layer does not exist
// (the message suggests the nearest name), for numbers that check_nodes() refuses, and for the
// first operator before the layers that has no step (the message gives the operator, its node, the
// reason and what to do). Where the last stage
// is dilated, it also throws as dilate_last_stage() does (dilate_model.h).
OnnxModel read_onnx(const std::filesystem::path& file, std::span<const std::string> layers,
                    LastStage last_stage);
// The same from the bytes of a file; messages name it.
OnnxModel read_onnx(std::span<const std::uint8_t> bytes, const std::string& file,
                    std::span<const std::string> layers, LastStage last_stage);
// A node of a file.
struct NativeNode {
  std::string name, type;  // `type` is its operator
  // The number of its output, as the inputs of steps are numbered; 0 where it, or one before it,
  // has no step.
  int value = 0;
  std::vector<std::string> outputs{};  // outputs of the model that it computes by other names
};
// Reads the steps of all nodes of a model that have some, with nothing merged and without the
// weights. `nodes` becomes all nodes that compute something of their inputs.
OnnxGraph read_all_steps(std::span<const std::uint8_t> bytes, const std::string& file,
                         std::vector<NativeNode>& nodes);

// Reads the file up to one layer, with its strides as they are.
OnnxModel read_onnx(const std::filesystem::path& file, const std::string& layer);

}  // namespace saccade

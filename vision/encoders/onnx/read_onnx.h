// From an ONNX file to steps that training can change.
#pragma once

#include <filesystem>
#include <span>

#include "vision/encoders/last_stage.h"
#include "vision/encoders/onnx/onnx_graph.h"

namespace saccade {

struct OnnxModel {
  OnnxGraph graph;
  std::vector<OnnxWeights> weights;  // one a step, empty where it has none
};

// What leads from the image to layers, which are named by their nodes or by what the nodes give.
// Normalisations are a part of the convolution before them, or a depthwise one of a single weight a
// channel; relu and relu6 a part of the convolution before them. Throws DataError when the file is
// missing or no ONNX model, when no layer has a name (naming the nearest), and for the first
// operator before the layers that has no step: its name, its node, the reason and what to do.
// Of a dilated last stage also as dilate_last_stage() does (dilate_model.h).
OnnxModel read_onnx(const std::filesystem::path& file, std::span<const std::string> layers,
                    LastStage last_stage);
// To one layer, as the file has it.
OnnxModel read_onnx(const std::filesystem::path& file, const std::string& layer);

}  // namespace saccade

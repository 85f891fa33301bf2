#include "vision/encoders/onnx_layers.h"

#include <algorithm>
#include <map>

#include "core/base/error.h"
#include "vision/encoders/backbones/onnx_backbone.h"
#include "vision/encoders/backbones/onnx_network.h"
#include "vision/encoders/onnx/read_tensors.h"
#include "vision/encoders/onnx_encoder.h"
#include "vision/encoders/opencv_network.h"

namespace saccade {

namespace {

using Shapes = std::map<std::string, std::vector<Index>>;

// The layers that OpenCV can run of some parts of a model, by the names of the file; empty where it
// cannot run all of them.
std::optional<Shapes> shapes_of(const std::vector<std::uint8_t>& checked, const std::string& file,
                                Index image_size) {
  const std::optional<OpencvNetwork> net = OpencvNetwork::import(checked);
  if (!net) return read_by_opencv(checked) ? std::optional(Shapes()) : std::nullopt;  // constants
  try {
    const auto layers = net->layer_shapes(file, image_size, image_size);
    if (!layers) return std::nullopt;
    Shapes shapes;
    for (std::size_t i = 0; i < layers->names.size(); ++i)
      shapes.emplace(short_name(layers->names[i]), layers->shapes[i]);
    return shapes;
  } catch (const DataError&) {  // more than an image may ask for
    return std::nullopt;
  }
}

// What leads to a node.
std::vector<bool> leading_to(const ModelParts& parts, std::size_t node) {
  std::vector<bool> wanted(parts.nodes().size(), false);
  wanted[node] = true;
  for (std::size_t i = node + 1; i-- > 0;)
    if (wanted[i])
      for (const std::size_t read : parts.nodes()[i].reads) wanted[read] = true;
  return wanted;
}

Shapes opencv_shapes(const ModelParts& parts, const std::string& file, Index image_size) {
  const auto shapes_with = [&](const std::vector<bool>& wanted) {
    return shapes_of(parts.bytes(wanted), file, image_size);
  };
  const auto works = [&](const std::vector<std::uint8_t>& checked) {
    return shapes_of(checked, file, image_size).has_value();
  };
  std::vector<bool> wanted;
  for (const ModelNode& node : parts.nodes()) wanted.push_back(node.refusal.empty());
  std::optional<Shapes> shapes;
  constexpr int kMostFailing = 16, kMostMerged = 64;
  for (int failing = 0; failing < kMostFailing && !shapes; ++failing) {
    if (std::find(wanted.begin(), wanted.end(), true) == wanted.end()) return {};
    shapes = shapes_with(wanted);
    if (shapes) break;
    wanted[first_failing(parts, wanted, works)] = false;
    for (std::size_t i = 0; i < wanted.size(); ++i)
      for (const std::size_t read : parts.nodes()[i].reads)
        if (!wanted[read]) wanted[i] = false;
  }
  if (!shapes) return {};
  // Nodes that OpenCV merges with those behind them are layers where a model ends with them.
  int merged = 0;
  for (std::size_t i = 0; i < wanted.size() && merged < kMostMerged; ++i) {
    const ModelNode& node = parts.nodes()[i];
    if (!wanted[i] || node.type == "Constant" || shapes->contains(node.name)) continue;
    ++merged;
    if (const auto own = shapes_with(leading_to(parts, i)))
      shapes->insert(own->begin(), own->end());
  }
  return *shapes;
}

// The layers that our own ops can run.
Shapes native_shapes(const std::vector<std::uint8_t>& bytes, const std::string& file,
                     Index image_size) {
  Shapes shapes;
  std::vector<NativeNode> nodes;
  const OnnxGraph graph = read_all_steps(bytes, file, nodes);
  const ImageSize input{.height = image_size, .width = image_size};
  const auto grids = OnnxNetwork::grids_of(graph, input);
  for (const NativeNode& node : nodes) {
    if (node.value == 0) continue;
    const auto& grid = grids[static_cast<std::size_t>(node.value) - 1];
    if (grid) shapes[node.name] = {1, grid->features, grid->rows, grid->cols};
  }
  for (TensorNode& node : tensor_layers(bytes, file, input))
    shapes.try_emplace(std::move(node.name), std::move(node.extents));
  return shapes;
}

}  // namespace

std::vector<OnnxLayer> list_onnx_layers(const std::filesystem::path& model, Index image_size) {
  SACCADE_CHECK(image_size > 0, "[list_onnx_layers] the image size must be positive");
  const std::string file = model.string();
  const std::vector<std::uint8_t> bytes = read_model_bytes(model);
  const ModelParts parts(bytes, file);
  const Shapes by_opencv = opencv_shapes(parts, file, image_size),
               by_us = native_shapes(bytes, file, image_size);
  std::vector<OnnxLayer> layers;
  const auto add = [&](const std::string& name, const std::string& type, const std::string& node) {
    const auto theirs = by_opencv.find(name), ours = by_us.find(node);
    OnnxLayer& layer = layers.emplace_back(OnnxLayer{.name = name, .type = type, .shape = {}});
    layer.onnx = theirs != by_opencv.end();
    layer.onnx_native = ours != by_us.end();
    if (layer.onnx)
      layer.shape = theirs->second;
    else if (layer.onnx_native)
      layer.shape = ours->second;
  };
  for (const ModelNode& node : parts.nodes())
    if (node.type != "Constant") add(node.name, node.type, node.name);
  for (const auto& [output, i] : parts.outputs()) {
    const ModelNode& node = parts.nodes()[i];
    add(output, "output of " + node.name, node.name);
  }
  return layers;
}

std::string other_onnx_encoder(const EncoderConfig& config) {
  if (config.model.empty() || config.network || !config.graph.empty()) return "";
  try {
    if (config.type == "onnx_native") {
      const OnnxEncoder onnx(OnnxEncoderOptions{
          .model = config.model,
          .layers = config.grid_layers(),
          .last_stage = config.dilate ? LastStage::kDilated : LastStage::kStrided,
          .image_size = config.height(),
          .image_width = config.width()});
      return "; or take encoder.type onnx, which can run it and leaves the network as it is";
    }
    ParameterStore parameters;
    read_onnx_backbone(config.model,
                       {.stages = config.grid_layers(),
                        .last_stage = config.dilate ? LastStage::kDilated : LastStage::kStrided},
                       {.height = config.height(), .width = config.width()},
                       ParamScope(parameters, ""));
    return "; or take encoder.type onnx_native, which can run it";
  } catch (const Error&) {
    return "";
  }
}

}  // namespace saccade

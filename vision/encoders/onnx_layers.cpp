#include "vision/encoders/onnx_layers.h"

#include <map>

#include "core/base/error.h"
#include "vision/encoders/backbones/onnx_network.h"
#include "vision/encoders/onnx/model_bytes.h"
#include "vision/encoders/onnx/read_tensors.h"

namespace saccade {

std::vector<OnnxLayer> list_onnx_layers(const std::filesystem::path& model, Index image_size) {
  SACCADE_CHECK(image_size > 0, "[list_onnx_layers] the image size must be positive");
  const std::string file = model.string();
  const std::vector<std::uint8_t> bytes = read_model_bytes(model);
  const ImageSize input{.height = image_size, .width = image_size};
  std::vector<NativeNode> nodes;
  const OnnxGraph graph = read_all_steps(bytes, file, nodes);
  const auto grids = OnnxNetwork::grids_of(graph, input);
  std::map<std::string, std::vector<Index>> shapes;
  for (const NativeNode& node : nodes) {
    if (node.value == 0) continue;
    const auto& grid = grids[static_cast<std::size_t>(node.value) - 1];
    if (grid) shapes[node.name] = {1, grid->features, grid->rows, grid->cols};
  }
  for (TensorNode& node : tensor_layers(bytes, file, input))
    shapes.try_emplace(std::move(node.name), std::move(node.extents));
  std::vector<OnnxLayer> layers;
  for (const NativeNode& node : nodes) layers.push_back({node.name, node.type, shapes[node.name]});
  for (const NativeNode& node : nodes)
    for (const std::string& output : node.outputs)
      layers.push_back({output, "output of " + node.name, shapes[node.name]});
  return layers;
}

}  // namespace saccade

#include "vision/encoders/backbones/onnx_backbone.h"

#include <algorithm>

#include "core/base/error.h"
#include "vision/encoders/backbones/onnx_network.h"
#include "vision/encoders/backbones/tensor_network.h"
#include "vision/encoders/onnx/model_bytes.h"
#include "vision/encoders/onnx/read_tensors.h"

namespace saccade {

namespace {

// Whether all results fit pictures of this size.
bool fits(const OnnxGraph& graph, const ImageSize& input) {
  const auto grids = OnnxNetwork::grids_of(graph, input);
  return std::ranges::all_of(graph.results(), [&](int result) {
    return result > 0 && grids[static_cast<std::size_t>(result) - 1].has_value();
  });
}

}  // namespace

std::unique_ptr<Backbone> read_onnx_backbone(const std::filesystem::path& file,
                                             const BackboneEnds& ends, const ImageSize& input,
                                             const ParamScope& scope) {
  const std::vector<std::uint8_t> bytes = read_model_bytes(file);
  std::optional<OnnxModel> images;
  std::string problem;
  try {
    images = read_onnx(bytes, file.string(), ends.stages, ends.last_stage);
  } catch (const DataError& error) {
    problem = error.what();
  }
  if (ends.last_stage == LastStage::kDilated && !images) throw DataError(problem);
  if (images && (ends.last_stage == LastStage::kDilated || fits(images->graph, input)))
    return std::make_unique<OnnxNetwork>(std::move(*images), input, scope);
  std::optional<TensorModel> arrays;
  try {
    arrays = read_tensors(bytes, file.string(), ends.stages, input);
    if (images) {  // whose problem is told where arrays have one, too
      ParameterStore trial;
      const TensorNetwork network({.graph = arrays->graph}, input, ParamScope(trial, ""));
    }
  } catch (const DataError&) {
    if (!images) throw;
    arrays.reset();
  }
  if (!arrays) return std::make_unique<OnnxNetwork>(std::move(*images), input, scope);
  return std::make_unique<TensorNetwork>(std::move(*arrays), input, scope);
}

std::unique_ptr<Backbone> onnx_backbone_of_text(const std::string& text, const ImageSize& input,
                                                const ParamScope& scope) {
  if (is_tensor_text(text))
    return std::make_unique<TensorNetwork>(TensorModel{tensor_graph_of_text(text), {}}, input,
                                           scope);
  return std::make_unique<OnnxNetwork>(OnnxModel{graph_of_text(text), {}}, input, scope);
}

}  // namespace saccade

#include <optional>

#include "core/base/error.h"
#include "vision/encoders/image_classifier.h"
#include "vision/encoders/onnx/model_bytes.h"
#include "vision/encoders/onnx/onnx_model.h"
#include "vision/encoders/onnx/read_onnx.h"

namespace saccade {

namespace {

// The step of the linear layer, where only steps that keep all numbers stand between the mean of
// all cells of a value and it.
std::optional<std::size_t> linear_behind_mean(const OnnxGraph& graph, int value, int output) {
  std::optional<std::size_t> linear;
  for (int at = output; at > 0;) {
    const auto index = static_cast<std::size_t>(at - 1);
    const OnnxStep& step = graph.steps[index];
    const bool one_cell = step.kernel[0] == 1 && step.kernel[1] == 1 && step.groups == 1;
    if (step.has_weights() && !linear && !step.clips() && one_cell) {
      linear = index;
    } else if (step.op == OnnxOp::kGlobalAveragePool) {
      return step.inputs[0] == value ? linear : std::nullopt;
    } else if (step.op != OnnxOp::kFlatten) {
      return std::nullopt;
    }
    at = step.inputs[0];
  }
  return std::nullopt;
}

// The name of the model's output; "" where it has none or several.
std::string output_of(const std::vector<std::uint8_t>& bytes, const std::string& file) {
  const onnx::ModelProto model = onnx_file::parse(bytes, file);
  return model.graph().output_size() == 1 ? model.graph().output(0).name() : "";
}

}  // namespace

std::shared_ptr<const ImageClassifier> read_classifier(const std::filesystem::path& file,
                                                       const std::string& layer) {
  std::vector<std::uint8_t> bytes = read_model_bytes(file);
  const std::string output = output_of(bytes, file.string());
  if (output.empty()) return nullptr;
  OnnxModel model;
  try {
    model = read_onnx(std::move(bytes), file.string(), std::vector<std::string>{layer, output},
                      LastStage::kStrided);
  } catch (const DataError&) {
    return nullptr;  // behind the layer are operators that have no steps
  }
  const std::optional<std::size_t> linear =
      linear_behind_mean(model.graph, model.graph.outputs[0], model.graph.outputs[1]);
  if (!linear) return nullptr;
  const OnnxStep& step = model.graph.steps[*linear];
  OnnxWeights& weights = model.weights[*linear];
  weights.bias.resize(static_cast<std::size_t>(step.out));
  return std::make_shared<const ImageClassifier>(step.in, weights.weight, weights.bias);
}

}  // namespace saccade

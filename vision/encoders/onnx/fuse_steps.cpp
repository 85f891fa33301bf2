#include "vision/encoders/onnx/fuse_steps.h"

#include <algorithm>

namespace saccade {

namespace {

// How often each value is read: value 0 is the image, value i + 1 the output of step i.
std::vector<int> readers_of(const OnnxGraph& graph) {
  std::vector<int> readers(graph.steps.size() + 1, 0);
  for (const OnnxStep& step : graph.steps)
    for (const int input : step.inputs) ++readers[static_cast<std::size_t>(input)];
  for (const int output : graph.outputs) ++readers[static_cast<std::size_t>(output)];
  return readers;
}

bool is_relu(const OnnxStep& step) {
  return step.op == OnnxOp::kRelu ||
         (step.op == OnnxOp::kClip && step.lowest == 0 && step.highest == 6);
}

void scale_outputs(OnnxStep& step, OnnxWeights& weights, const OnnxWeights& norm) {
  const auto out = static_cast<std::size_t>(step.out);
  const std::size_t each = weights.weight.size() / out;
  if (!step.bias) weights.bias.assign(out, 0);
  step.bias = true;
  for (std::size_t o = 0; o < out; ++o) {
    const float factor = norm.weight[o];
    std::for_each_n(weights.weight.begin() + static_cast<Index>(o * each), each,
                    [&](float& weight) { weight *= factor; });
    weights.bias[o] = weights.bias[o] * factor + norm.bias[o];
  }
}

// Merges step i into the step before it, whose output nothing else reads. Returns false, and
// changes nothing, where that is not possible.
bool merged(OnnxModel& model, bool normalization, std::size_t before, std::size_t i) {
  OnnxStep& earlier = model.graph.steps[before];
  const OnnxStep& step = model.graph.steps[i];
  if (earlier.op != OnnxOp::kConv || earlier.clips()) return false;
  if (normalization && earlier.out == step.out) {
    scale_outputs(earlier, model.weights[before], model.weights[i]);
    return true;
  }
  if (!is_relu(step)) return false;
  earlier.lowest = 0;
  if (step.op == OnnxOp::kClip) earlier.highest = step.highest;
  return true;
}

}  // namespace

void fuse_steps(OnnxModel& model, std::vector<bool> normalizations) {
  const std::vector<int> readers = readers_of(model.graph);
  std::vector<OnnxStep>& steps = model.graph.steps;
  std::vector<int> now(steps.size() + 1, 0);  // the new number of each value
  std::size_t kept = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const bool alone = readers[static_cast<std::size_t>(steps[i].inputs[0])] == 1;
    for (int& input : steps[i].inputs) input = now[static_cast<std::size_t>(input)];
    const int before = steps[i].inputs[0] - 1;
    if (alone && before >= 0 &&
        merged(model, normalizations[i], static_cast<std::size_t>(before), i)) {
      now[i + 1] = before + 1;
      continue;
    }
    if (kept != i) {
      steps[kept] = std::move(steps[i]);
      model.weights[kept] = std::move(model.weights[i]);
    }
    now[i + 1] = static_cast<int>(++kept);
  }
  for (int& output : model.graph.outputs) output = now[static_cast<std::size_t>(output)];
  steps.resize(kept);
  model.weights.resize(kept);
}

}  // namespace saccade

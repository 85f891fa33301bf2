#include "vision/encoders/onnx/onnx_graph.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/error.h"
#include "core/base/shallow_json.h"

namespace saccade {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kDilation = "dilation";  // left out where it is 1

// Calls visit(key, member) for every member of a step except `op` and `padding`.
template <class Step, class Visit>
void members(Step& step, Visit visit) {
  visit("name", step.name);
  visit("inputs", step.inputs);
  visit("kernel", step.kernel);
  visit("stride", step.stride);
  visit("pads", step.pads);
  visit("in", step.in);
  visit("out", step.out);
  visit("groups", step.groups);
  visit("bias", step.bias);
  visit("lowest", step.lowest);
  visit("highest", step.highest);
}

[[noreturn]] void refuse() { throw DataError("the stored graph of the ONNX network is damaged"); }

template <NamedEnum E>
E choice_of(const Json& json) {
  const auto value = enum_value<E>(json.get<std::string>());
  if (!value) refuse();
  return *value;
}

OnnxStep step_of(const Json& json, std::size_t place) {
  OnnxStep step;
  step.op = choice_of<OnnxOp>(json.at("op"));
  step.padding = choice_of<OnnxPadding>(json.at("padding"));
  members(step, [&](const char* key, auto& member) { json.at(key).get_to(member); });
  if (json.contains(kDilation)) json.at(kDilation).get_to(step.dilation);
  constexpr Index kMostWindow = 4096;  // as check_nodes() has them
  const auto bad = [](Index number, Index least, Index most = Index{1} << 20) {
    return number < least || number > most;
  };
  bool wrong = step.inputs.empty() || step.name.empty() || bad(step.stride, 1, kMostWindow) ||
               bad(step.dilation, 1, kMostWindow) || bad(step.groups, 1) || bad(step.in, 0) ||
               bad(step.out, 0);
  for (const int input : step.inputs)
    wrong = wrong || input < 0 || static_cast<std::size_t>(input) > place;
  for (const Index extent : step.kernel) wrong = wrong || bad(extent, 1, kMostWindow);
  for (const Index extent : step.pads) wrong = wrong || bad(extent, 0, kMostWindow);
  constexpr double kMostWeights = 1 << 29;
  const double window = static_cast<double>(step.kernel[0]) * static_cast<double>(step.kernel[1]);
  wrong =
      wrong || window * static_cast<double>(step.in) * static_cast<double>(step.out) > kMostWeights;
  wrong = wrong || (step.has_weights() && (step.in < 1 || step.out < 1)) ||
          (step.op == OnnxOp::kAdd && step.inputs.size() != 2) ||
          (step.op == OnnxOp::kLeakyRelu && !(step.lowest >= 0 && step.lowest < 1));
  wrong = wrong || !(step.lowest <= step.highest);
  if (wrong || !std::isfinite(step.lowest) || !std::isfinite(step.highest)) refuse();
  return step;
}

}  // namespace

std::string graph_text(const OnnxGraph& graph) {
  Json steps = Json::array();
  for (const OnnxStep& step : graph.steps) {
    Json json{{"op", enum_name(step.op)}, {"padding", enum_name(step.padding)}};
    members(step, [&](const char* key, const auto& member) { json[key] = member; });
    if (step.dilation != 1) json[kDilation] = step.dilation;
    steps.push_back(std::move(json));
  }
  // A graph with a single result is stored as a plain list of steps, as in older checkpoints.
  if (graph.results() == OnnxGraph{.steps = graph.steps}.results()) return steps.dump();
  return Json{{"steps", std::move(steps)}, {"outputs", graph.outputs}}.dump();
}

OnnxGraph graph_of_text(const std::string& text) {
  OnnxGraph graph;
  try {
    const Json json = shallow_json(text);
    const bool listed = json.is_array();
    if (!listed) json.at("outputs").get_to(graph.outputs);
    for (const Json& step : listed ? json : json.at("steps"))
      graph.steps.push_back(step_of(step, graph.steps.size()));
  } catch (const Json::exception&) {
    refuse();
  }
  const int last = static_cast<int>(graph.steps.size());
  if (last == 0) refuse();
  for (const int output : graph.outputs)
    if (output < 1 || output > last) refuse();
  std::set<std::string> names;
  for (const OnnxStep& step : graph.steps)
    if (!names.insert(step.name).second) refuse();
  return graph;
}

}  // namespace saccade

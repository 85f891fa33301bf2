#include "vision/encoders/backbones/onnx_network.h"

#include <algorithm>
#include <map>

#include "core/base/error.h"
#include "core/io/torch_weights.h"
#include "core/ops/linear.h"
#include "core/ops/pointwise.h"
#include "core/ops/shape_ops.h"
#include "vision/encoders/network_cost.h"

namespace saccade {

namespace {

[[noreturn]] void refuse(const OnnxStep& step, const std::string& why) {
  throw DataError(str("encoder.model: node '", step.name, "' ", why));
}

bool is_pool(const OnnxStep& step) {
  return step.op == OnnxOp::kMaxPool || step.op == OnnxOp::kAveragePool;
}

// Images [B, H, W, C] as rows [B H W, C].
std::vector<Var> as_rows(std::span<const Var> images) {
  std::vector<Var> rows;
  for (const Var image : images)
    rows.push_back(
        ops::reshape(image, {image.shape().size() / image.shape()[-1], image.shape()[-1]}));
  return rows;
}

Activation activation_of(const OnnxStep& step) {
  if (!step.clips()) return Activation::kNone;
  return step.highest == 6 ? Activation::kRelu6 : Activation::kRelu;
}

}  // namespace

OnnxNetwork::OnnxNetwork(const ImageSize& input) : Backbone("onnx_native", input) {
  layers_.push_back({.out = {input.height, input.width, 3}});
}

std::vector<std::optional<GridShape>> OnnxNetwork::grids_of(const OnnxGraph& graph,
                                                            const ImageSize& input) {
  OnnxNetwork network(input);
  std::vector<bool> fits{true}, weighted{false};
  std::vector<std::optional<GridShape>> grids;
  for (const OnnxStep& step : graph.steps) {
    bool all = true, some = step.has_weights();
    for (const int from : step.inputs) {
      all = all && fits[static_cast<std::size_t>(from)];
      some = some || weighted[static_cast<std::size_t>(from)];
    }
    Layer layer;
    try {
      if (all) layer = network.planned(step);
    } catch (const Error&) {
      all = false;
    }
    fits.push_back(all);
    weighted.push_back(some);
    grids.push_back(all && some ? std::optional(layer.out) : std::nullopt);
    network.layers_.push_back(layer);
  }
  return grids;
}

OnnxNetwork::OnnxNetwork(OnnxModel model, const ImageSize& input, const ParamScope& scope)
    : OnnxNetwork(input) {
  model_ = std::move(model);
  NetworkCost cost;
  for (std::size_t i = 0; i < model_.graph.steps.size(); ++i) {
    const OnnxStep& step = model_.graph.steps[i];
    const Layer layer = planned(step);
    const double all = static_cast<double>(layer.out.size()),
                 each = step.has_weights()
                            ? static_cast<double>(step.in * step.kernel[0] * step.kernel[1])
                            : 1;
    cost.add(str("encoder.model: node '", step.name, "'"), all, all * each);
    layers_.push_back(layer);
    if (model_.graph.steps[i].has_weights()) declare(scope, i);
  }
  plan_stages();
  std::vector<std::vector<int>> inputs;
  for (const OnnxStep& step : model_.graph.steps) inputs.push_back(step.inputs);
  segments_ = StepSegments(std::move(inputs));
}

const OnnxNetwork::Layer& OnnxNetwork::input_of(const OnnxStep& step, std::size_t i) const {
  return layers_[static_cast<std::size_t>(step.inputs[i])];
}

// The padding, which must be the same on both axes: the ops have no other.
Padding OnnxNetwork::padding_of(const OnnxStep& step, const GridShape& in) const {
  std::array<Padding, 2> axes{Padding{step.pads[0], step.pads[2]},
                              Padding{step.pads[1], step.pads[3]}};
  if (step.padding != OnnxPadding::kGiven)
    for (std::size_t axis = 0; axis < 2; ++axis) {
      const Index extent = axis == 0 ? in.rows : in.cols;
      const Index out = (extent + step.stride - 1) / step.stride;
      const Index both = std::max(Index{0}, (out - 1) * step.stride + step.reach(axis) - extent);
      const Index less = both / 2;
      axes[axis] = step.padding == OnnxPadding::kSameUpper ? Padding(less, both - less)
                                                           : Padding(both - less, less);
    }
  if (axes[0] != axes[1])
    refuse(step, str("pads rows and columns differently at ", input().height, " x ", input().width,
                     " pixels; choose a layer before it, or another image size"));
  if (is_pool(step) && (axes[0].before != axes[0].after || axes[0].before >= step.kernel[0]))
    refuse(
        step,
        "pads one side more than the other, or by a whole window, which no pool here does; choose "
        "a layer before it, or another image size");
  return axes[0];
}

GridShape OnnxNetwork::extents_after(const OnnxStep& step, const GridShape& in,
                                     const Padding& padding) const {
  const auto extent = [&](Index from, Index reach) {
    const Index room = from + padding.both() - reach;
    if (room < 0)
      throw UsageError(str("encoder: an image of ", input().height, " x ", input().width,
                           " is too small for node '", step.name, "'"));
    return room / step.stride + 1;
  };
  return {{.rows = extent(in.rows, step.reach(0)), .cols = extent(in.cols, step.reach(1))},
          in.features};
}

OnnxNetwork::Layer OnnxNetwork::planned(const OnnxStep& step) const {
  const GridShape& in = input_of(step).out;
  Layer layer{.out = in, .level = input_of(step).level};
  switch (step.op) {
    case OnnxOp::kConv:
      if (step.in * step.groups != in.features || step.out % step.groups != 0)
        refuse(step,
               str("has weights for ", step.in * step.groups, " channels and gets ", in.features));
      [[fallthrough]];
    case OnnxOp::kMaxPool:
    case OnnxOp::kAveragePool:
      layer.padding = padding_of(step, in);
      layer.out = extents_after(step, in, layer.padding);
      if (step.op == OnnxOp::kConv) layer.out.features = step.out;
      break;
    case OnnxOp::kGlobalAveragePool:
      layer.out = {{1, 1}, in.features};
      break;
    case OnnxOp::kFlatten:
      layer.out = {{1, 1}, in.size()};
      break;
    case OnnxOp::kDense:
      if (in.cells() != 1 || in.features != step.in)
        refuse(step, str("has weights for ", step.in, " numbers and gets ", in.rows, " x ", in.cols,
                         " x ", in.features, " of an image of ", input().height, " x ",
                         input().width, " pixels"));
      layer.out = {{1, 1}, step.out};
      break;
    case OnnxOp::kAdd:
    case OnnxOp::kConcat:
      for (std::size_t i = 1; i < step.inputs.size(); ++i) {
        const Layer& other = input_of(step, i);
        layer.level = std::max(layer.level, other.level);
        const GridSize &own = in, &size = other.out;
        const bool fits =
            size == own && (step.op == OnnxOp::kConcat || other.out.features == in.features);
        if (!fits) refuse(step, "joins images of different sizes");
        if (step.op == OnnxOp::kConcat) layer.out.features += other.out.features;
      }
      break;
    case OnnxOp::kRelu:
    case OnnxOp::kLeakyRelu:
    case OnnxOp::kClip:
    case OnnxOp::kSigmoid:
      break;
  }
  check_extents(str("encoder.model: node '", step.name, "'"),
                {layer.out.rows, layer.out.cols, layer.out.features});
  if (layer.out.cells() < in.cells()) ++layer.level;
  set_field(step, layer);
  return layer;
}

void OnnxNetwork::set_field(const OnnxStep& step, Layer& layer) const {
  layer.field = input_of(step).field;
  const auto join = [](FieldAxis& axis, const FieldAxis& other) {
    const Index end = std::max(axis.first + axis.extent, other.first + other.extent);
    axis.first = std::min(axis.first, other.first);
    axis.extent = end - axis.first;
  };
  for (std::size_t i = 0; i < step.inputs.size(); ++i) {
    const Layer& in = input_of(step, i);
    layer.whole = layer.whole || in.whole || in.field.rows.step != layer.field.rows.step;
    join(layer.field.rows, in.field.rows);
    join(layer.field.cols, in.field.cols);
  }
  if (step.op == OnnxOp::kGlobalAveragePool || step.op == OnnxOp::kFlatten) layer.whole = true;
  if (step.op != OnnxOp::kConv && !is_pool(step)) return;
  constexpr Index kMostPixels = 1 << 16;
  if (layer.field.rows.step > kMostPixels / step.stride)
    refuse(step, "strides so far that no grid is left; choose a layer before it");
  layer.field.rows.see(step.reach(0), step.stride, layer.padding.before);
  layer.field.cols.see(step.reach(1), step.stride, layer.padding.before);
}

void OnnxNetwork::declare(const ParamScope& scope, std::size_t i) {
  const OnnxStep& step = model_.graph.steps[i];
  Layer& layer = layers_[i + 1];
  const ParamScope own = scope.sub(step.name);
  const Index in = step.in * step.kernel[0] * step.kernel[1];
  const Shape shape = step.op == OnnxOp::kDense
                          ? Shape{step.in, step.out}
                          : Shape{step.kernel[0], step.kernel[1], step.in, step.out};
  layer.weight = own.declare("weight", shape, Init::he(in));
  if (step.bias) layer.bias = own.declare("bias", {step.out}, Init::constant(0), Decay::kNo);
}

void OnnxNetwork::plan_stages() {
  std::map<Index, BackboneStage> by_level;
  for (std::size_t i = 0; i < model_.graph.steps.size(); ++i) {
    const OnnxStep& step = model_.graph.steps[i];
    if (!step.has_weights()) continue;
    BackboneStage& stage = by_level[layers_[i + 1].level];
    stage.prefixes.push_back(step.name + ".");
    stage.grid = layers_[i + 1].out;
  }
  if (by_level.empty())
    throw DataError("encoder.model: nothing before encoder.layer has weights to train");
  std::vector<BackboneStage> stages;
  for (auto& [level, stage] : by_level) {
    stage.name = str("stage", stages.size() + 1);
    stages.push_back(std::move(stage));
  }
  plan(std::move(stages), {}, {});
  std::vector<BackboneResult> results;
  for (const int value : model_.graph.results()) {
    const Layer& layer = layers_[static_cast<std::size_t>(value)];
    results.push_back({.grid = layer.out, .field = layer.field, .whole = layer.whole});
  }
  set_results(std::move(results));
}

void OnnxNetwork::start(ParameterStore& store) const {
  for (std::size_t i = 0; i < model_.weights.size(); ++i) {
    const OnnxStep& step = model_.graph.steps[i];
    if (!step.has_weights()) continue;
    const Layer& layer = layers_[i + 1];
    const auto give = [&](int parameter, const std::vector<float>& values) {
      const View view = store.value(parameter);
      const std::vector<Real> numbers(values.begin(), values.end());
      from_torch(torch_tensor(store.info(parameter).name, view.shape).layout, numbers, view);
    };
    give(layer.weight, model_.weights[i].weight);
    if (step.bias) give(layer.bias, model_.weights[i].bias);
  }
}

Var OnnxNetwork::run_step(Tape& tape, std::size_t i, std::span<const Var> values) const {
  const OnnxStep& step = model_.graph.steps[i];
  const Layer& layer = layers_[i + 1];
  const Var x = values[0];
  const Index batch = x.shape()[0];
  const Shape shape{batch, layer.out.rows, layer.out.cols, layer.out.features};
  const auto parameter = [&](int index) { return index < 0 ? Var{} : tape.parameter(index); };
  const ops::Pool2dOptions pool{
      .kernel = step.kernel[0], .stride = step.stride, .padding = layer.padding.before};
  switch (step.op) {
    case OnnxOp::kConv:
      return ops::conv2d(x, parameter(layer.weight), parameter(layer.bias),
                         {.stride = step.stride,
                          .padding = layer.padding,
                          .groups = step.groups,
                          .activation = activation_of(step),
                          .dilation = step.dilation});
    case OnnxOp::kDense:
      return ops::linear(x, parameter(layer.weight), parameter(layer.bias));
    case OnnxOp::kRelu:
      return ops::relu(x);
    case OnnxOp::kLeakyRelu:
      return ops::leaky_relu(x, static_cast<Real>(step.lowest));
    case OnnxOp::kClip:
      return ops::clip(x, {.lowest = static_cast<Real>(step.lowest),
                           .highest = static_cast<Real>(step.highest)});
    case OnnxOp::kSigmoid:
      return ops::sigmoid(x);
    case OnnxOp::kAdd:
      return ops::add(x, values[1]);
    case OnnxOp::kConcat:
      return ops::reshape(ops::concat_cols(as_rows(values)), shape);
    case OnnxOp::kMaxPool:
      return ops::max_pool2d(x, pool);
    case OnnxOp::kAveragePool:
      return ops::avg_pool2d(x, pool);
    case OnnxOp::kGlobalAveragePool:
      return ops::reshape(ops::global_avg_pool(x), shape);
    case OnnxOp::kFlatten: {  // channel by channel, the order of ONNX
      const Shape in = x.shape();
      const Var regions = ops::reshape(x, {batch, in[1] * in[2], in[3]});
      return ops::reshape(in[1] * in[2] == 1 ? regions : ops::transpose_regions(regions), shape);
    }
  }
  throw InternalError("unknown step of an ONNX network");
}

std::vector<Var> OnnxNetwork::run(Tape& tape, Var pixels) const {
  return segments_.run(
      tape, pixels, model_.graph.results(),
      [&](std::size_t i, std::span<const Var> inputs) { return run_step(tape, i, inputs); });
}

}  // namespace saccade

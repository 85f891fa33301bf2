#include "vision/encoders/backbones/tensor_network.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/ops/conv_ops.h"
#include "core/ops/linear.h"
#include "core/ops/network_ops.h"
#include "core/ops/normalizers.h"
#include "core/ops/pointwise.h"
#include "core/ops/shape_ops.h"
#include "core/ops/tensor_ops.h"
#include "vision/encoders/network_cost.h"

namespace saccade {

namespace {

std::string place_of(const TensorStep& step, std::size_t i) {
  return str("encoder.model: step ", i + 1, " (", enum_name(step.op), ")");
}

Shape shape_of(const Extents& extents) {
  Shape shape{extents[0]};
  switch (extents.size()) {
    case 1:
      return {extents[0]};
    case 2:
      return {extents[0], extents[1]};
    case 3:
      return {extents[0], extents[1], extents[2]};
    case 4:
      return {extents[0], extents[1], extents[2], extents[3]};
    default:
      return {numbers_in(extents)};
  }
}

Index last_of(const Extents& extents) { return extents.empty() ? 1 : extents.back(); }

// An image [1, rows, cols, C] or [rows, cols, C].
GridShape image_of(const Extents& extents) {
  const std::size_t rank = extents.size();
  if (rank < 3 || (rank == 4 && extents[0] != 1) || rank > 4) return {};
  return {{extents[rank - 3], extents[rank - 2]}, extents[rank - 1]};
}

// What a step makes of inputs of these extents. Throws DataError where they do not fit to each
// other or to its numbers and arrays.
class StepCheck {
 public:
  StepCheck(const TensorStep& step, std::span<const Extents> inputs)
      : step_(step), inputs_(inputs) {}

  // The number of products that it takes.
  double check() {
    using enum TensorOp;
    const bool two = step_.op == kAdd || step_.op == kMultiply || step_.op == kChannelFactors ||
                     step_.op == kMatrices;
    if (step_.op != kConcat)
      require(inputs_.size() == (step_.op == kConstant ? 0U : two ? 2U : 1U));
    const auto count = static_cast<double>(numbers_in(step_.extents));
    if (is_rearrangement(step_.op)) {
      require(rearrangement_of(step_.op, inputs_, step_.numbers).extents == step_.extents);
      return count;
    }
    switch (step_.op) {
      case kReshape:
        require(numbers_in(inputs_[0]) == numbers_in(step_.extents));
        return 0;
      case kConv:
        return conv();
      case kLinear: {
        require_arrays(1, 2);
        const Extents& weight = step_.arrays[0];
        require(weight.size() == 2 && last_of(inputs_[0]) == weight[0] &&
                last_of(step_.extents) == weight[1] && same_rows());
        if (step_.arrays.size() == 2) require(step_.arrays[1] == Extents{weight[1]});
        return count * static_cast<double>(weight[0]);
      }
      case kMatrices: {
        require(step_.numbers.size() == 4);
        const Index n = step_.numbers[0], m = step_.numbers[1], k = step_.numbers[2],
                    p = step_.numbers[3];
        require(numbers_in(inputs_[0]) == numbers_in({n, m, k}) &&
                numbers_in(inputs_[1]) == numbers_in({n, k, p}) &&
                numbers_in(step_.extents) == numbers_in({n, m, p}));
        return count * static_cast<double>(k);
      }
      case kConstant:
        require_arrays(1, 1);
        require(step_.arrays[0] == step_.extents);
        return count;
      case kShiftChannels:
      case kScaleChannels:
      case kLayerNorm:
        require_arrays(step_.op == kLayerNorm ? 2 : 1, step_.op == kLayerNorm ? 2 : 1);
        for (const Extents& array : step_.arrays) require(array == Extents{last_of(inputs_[0])});
        require_factors(step_.op == kLayerNorm ? 1 : 0);
        break;
      case kAdd:
      case kMultiply:
        require(numbers_in(inputs_[0]) == numbers_in(inputs_[1]));
        break;
      case kChannelFactors:
        require(numbers_in(inputs_[1]) == last_of(inputs_[0]));
        break;
      case kMean:
        require(last_of(step_.extents) == 1 && !inputs_[0].empty() &&
                numbers_in(step_.extents) * last_of(inputs_[0]) == numbers_in(inputs_[0]));
        return static_cast<double>(numbers_in(inputs_[0]));
      case kMeanOfCells:
        require(image_of(inputs_[0]).features > 0 &&
                numbers_in(step_.extents) == image_of(inputs_[0]).features);
        return static_cast<double>(numbers_in(inputs_[0]));
      case kMaxPool:
      case kAveragePool: {
        require(step_.numbers.size() == 3 && step_.numbers[0] >= 1 && step_.numbers[1] >= 1 &&
                step_.numbers[2] >= 0 && step_.numbers[2] < step_.numbers[0]);
        const GridShape in = image_of(inputs_[0]);
        require_image(in, in.features, step_.numbers[0], step_.numbers[1], 2 * step_.numbers[2]);
        return count * static_cast<double>(step_.numbers[0] * step_.numbers[0]);
      }
      case kLeakyRelu:
        require_factors(1);
        require(step_.factors[0] >= 0 && step_.factors[0] < 1);
        break;
      case kScale:
      case kShift:
        require_factors(1);
        break;
      case kClip:
        require_factors(2);
        require(step_.factors[0] <= step_.factors[1]);
        break;
      default:
        break;
    }
    require(numbers_in(inputs_[0]) == numbers_in(step_.extents) &&
            last_of(inputs_[0]) == last_of(step_.extents));
    return count;
  }

 private:
  static void require(bool fits) {
    if (!fits) throw DataError("its extents and numbers do not fit");
  }
  void require_arrays(std::size_t least, std::size_t most) const {
    require(step_.arrays.size() >= least && step_.arrays.size() <= most);
  }
  void require_factors(std::size_t count) const { require(step_.factors.size() == count); }
  bool same_rows() const {
    return numbers_in(inputs_[0]) / last_of(inputs_[0]) ==
           numbers_in(step_.extents) / last_of(step_.extents);
  }
  void require_image(const GridShape& in, Index features, Index reach, Index stride,
                     Index padding) const {
    const GridShape out = image_of(step_.extents);
    const auto extent = [&](Index from) {
      const Index room = from + padding - reach;
      return room < 0 ? Index{0} : room / stride + 1;
    };
    require(in.features > 0 && out.features == features && out.rows == extent(in.rows) &&
            out.cols == extent(in.cols) && out.rows > 0 && out.cols > 0);
  }
  double conv() const {
    require_arrays(1, 2);
    require(step_.numbers.size() == 5);
    const Extents& kernel = step_.arrays[0];
    const GridShape in = image_of(inputs_[0]);
    for (const std::size_t i : {0, 3, 4}) require(step_.numbers[i] >= 1);
    require(step_.numbers[1] >= 0 && step_.numbers[2] >= 0 && kernel.size() == 4 &&
            kernel[0] == kernel[1] && in.features == kernel[2] * step_.numbers[3] &&
            kernel[3] % step_.numbers[3] == 0);
    if (step_.arrays.size() == 2) require(step_.arrays[1] == Extents{kernel[3]});
    require_image(in, kernel[3], (kernel[0] - 1) * step_.numbers[4] + 1, step_.numbers[0],
                  step_.numbers[1] + step_.numbers[2]);
    return static_cast<double>(numbers_in(step_.extents)) *
           static_cast<double>(kernel[0] * kernel[1] * kernel[2]);
  }

  const TensorStep& step_;
  std::span<const Extents> inputs_;
};

}  // namespace

TensorNetwork::TensorNetwork(TensorModel model, const ImageSize& input, const ParamScope& scope)
    : Backbone("onnx_native", input), model_(std::move(model)) {
  const TensorGraph& graph = model_.graph;
  if (graph.pixels != Extents{input.height, input.width, 3})
    throw UsageError(str("encoder.image_size: the stored network is for pictures of ",
                         graph.pixels[0], " x ", graph.pixels[1], " pixels; it cannot be changed"));
  NetworkCost cost;
  std::vector<Extents> made{{1, input.height, input.width, 3}};
  std::vector<std::vector<int>> inputs;
  for (std::size_t i = 0; i < graph.steps.size(); ++i) {
    const TensorStep& step = graph.steps[i];
    std::vector<Extents> read;
    for (const int from : step.inputs) read.push_back(made[static_cast<std::size_t>(from)]);
    try {
      check_extents(place_of(step, i), step.extents.empty() ? Extents{1} : step.extents);
      cost.add(place_of(step, i), static_cast<double>(numbers_in(step.extents)),
               StepCheck(step, read).check());
      std::vector<int>& from = rearranged_.emplace_back();
      if (is_rearrangement(step.op)) from = rearrangement_of(step.op, read, step.numbers).from;
    } catch (const DataError& error) {
      throw DataError(str(place_of(step, i), ": ", error.what(), "; export the network again"));
    }
    declare(scope, i);
    made.push_back(step.extents);
    inputs.push_back(step.inputs);
  }
  segments_ = StepSegments(std::move(inputs));
  plan_stages();
  std::vector<BackboneResult> results;
  for (const int output : graph.outputs) {
    const GridShape grid = image_of(made[static_cast<std::size_t>(output)]);
    if (grid.features == 0)
      throw DataError(
          "encoder.model: a layer is no grid [1, features, rows, columns]; choose another");
    results.push_back({.grid = grid, .field = {}, .whole = true});
  }
  set_results(std::move(results));
}

void TensorNetwork::declare(const ParamScope& scope, std::size_t i) {
  const TensorStep& step = model_.graph.steps[i];
  std::vector<int>& own = parameters_.emplace_back();
  for (std::size_t a = 0; a < step.arrays.size(); ++a) {
    const Extents& extents = step.arrays[a];
    const Shape shape = shape_of(extents.empty() ? Extents{1} : extents);
    const ParamScope place = scope.sub(step.name);
    const char* const name = a == 0 ? "weight" : "bias";
    if (step.fixed)
      own.push_back(place.declare_fixed(name, shape, Init::constant(0)));
    else
      own.push_back(place.declare(name, shape, Init::constant(0),
                                  extents.size() < 2 ? Decay::kNo : Decay::kYes));
  }
}

void TensorNetwork::plan_stages() {
  std::vector<BackboneStage> stages;
  std::size_t first = 0;
  std::vector<std::string> prefixes;
  GridShape grid{{1, 1}, 1};
  for (const std::size_t end : segments_.ends()) {
    for (std::size_t i = first; i < end; ++i)
      if (!model_.graph.steps[i].arrays.empty())
        prefixes.push_back(model_.graph.steps[i].name + ".");
    first = end;
    if (prefixes.empty()) continue;
    if (const GridShape image = image_of(model_.graph.steps[end - 1].extents); image.features > 0)
      grid = image;
    stages.push_back(
        {.name = str("stage", stages.size() + 1), .prefixes = std::move(prefixes), .grid = grid});
    prefixes.clear();
  }
  if (stages.empty())
    throw DataError("encoder.model: nothing before encoder.layer has weights to train");
  plan(std::move(stages), {}, {});
}

void TensorNetwork::start(ParameterStore& store) const {
  for (std::size_t i = 0; i < model_.arrays.size(); ++i)
    for (std::size_t a = 0; a < model_.arrays[i].size(); ++a) {
      const std::vector<float>& from = model_.arrays[i][a];
      const View to = store.value(parameters_[i][a]);
      SACCADE_ASSERT(std::ssize(from) == to.size(), "an array of another size");
      std::copy(from.begin(), from.end(), to.data);
    }
}

Var TensorNetwork::run_step(Tape& tape, std::size_t i, std::span<const Var> inputs) const {
  using enum TensorOp;
  const TensorStep& step = model_.graph.steps[i];
  const std::vector<int>& own = parameters_[i];
  const auto parameter = [&](std::size_t a) {
    return a < own.size() ? tape.parameter(own[a]) : Var{};
  };
  const auto factor = [&](std::size_t f) { return static_cast<Real>(step.factors[f]); };
  const Index width = last_of(step.extents);
  const Index batch = inputs.empty() ? 1 : inputs[0].shape()[0];
  // Values are [B, rows, width of the last extent], images [B, rows, cols, C].
  const auto rows = [](Var x, Index cols) {
    return ops::reshape(x, {x.shape().size() / cols, cols});
  };
  const auto finished = [&](Var y) {
    const GridShape image = image_of(step.extents);
    const Index each = numbers_in(step.extents);
    const Index samples = y.shape().size() / each;
    return image.features > 0 ? ops::reshape(y, {samples, image.rows, image.cols, image.features})
                              : ops::reshape(y, {samples, each / width, width});
  };
  const auto image = [&](Var x) {
    const Shape shape = x.shape();
    return shape.rank() == 4 ? x : ops::reshape(x, {shape[0], 1, shape[1], shape[2]});
  };
  const auto same = [&](Var other, Var x) { return ops::reshape(other, x.shape()); };
  switch (step.op) {
    case kConcat: {
      std::vector<Var> parts;
      for (const Var x : inputs) parts.push_back(rows(x, x.shape().size() / batch));
      return finished(ops::rearrange(ops::concat_cols(parts), rearranged_[i]));
    }
    case kTranspose:
    case kSlice:
    case kGather:
    case kPad:
    case kExpand:
      return finished(ops::rearrange(inputs[0], rearranged_[i]));
    case kReshape:
      return finished(inputs[0]);
    case kConv:
      return ops::conv2d(image(inputs[0]), parameter(0), parameter(1),
                         {.stride = step.numbers[0],
                          .padding = Padding(step.numbers[1], step.numbers[2]),
                          .groups = step.numbers[3],
                          .dilation = step.numbers[4]});
    case kLinear:
      return finished(ops::linear(rows(inputs[0], step.arrays[0][0]), parameter(0), parameter(1)));
    case kMatrices: {
      const Index n = step.numbers[0] * batch, m = step.numbers[1], k = step.numbers[2],
                  p = step.numbers[3];
      return finished(ops::multiply_matrices(ops::reshape(inputs[0], {n, m, k}),
                                             ops::reshape(inputs[1], {n, k, p})));
    }
    case kAdd:
      return finished(ops::add(inputs[0], same(inputs[1], inputs[0])));
    case kMultiply:
      return finished(ops::multiply(inputs[0], same(inputs[1], inputs[0])));
    case kChannelFactors: {
      const Shape shape = inputs[0].shape();
      return finished(
          ops::scale_channels(ops::reshape(inputs[0], {batch, shape.size() / batch / width, width}),
                              ops::reshape(inputs[1], {batch, width})));
    }
    case kShiftChannels:
      return finished(ops::add_channels(inputs[0], parameter(0)));
    case kScaleChannels:
      return finished(ops::scale_channels(inputs[0], parameter(0)));
    case kScale:
      return finished(ops::scale(inputs[0], factor(0)));
    case kShift: {
      const View all{tape.scratch(inputs[0].shape().size()), inputs[0].shape()};
      std::fill_n(all.data, all.size(), factor(0));
      return finished(ops::add(inputs[0], tape.constant(all)));
    }
    case kRelu:
      return finished(ops::relu(inputs[0]));
    case kLeakyRelu:
      return finished(ops::leaky_relu(inputs[0], factor(0)));
    case kClip:
      return finished(ops::clip(inputs[0], {.lowest = factor(0), .highest = factor(1)}));
    case kSigmoid:
      return finished(ops::sigmoid(inputs[0]));
    case kTanh:
      return finished(ops::tanh(inputs[0]));
    case kExp:
      return finished(ops::exp(inputs[0]));
    case kErf:
      return finished(ops::nonlinear(inputs[0], Nonlinearity::kErf));
    case kSqrt:
      return finished(ops::nonlinear(inputs[0], Nonlinearity::kSqrt));
    case kReciprocal:
      return finished(ops::reciprocal(inputs[0]));
    case kGelu:
      return finished(ops::gelu(inputs[0]));
    case kTanhGelu:
      return finished(ops::nonlinear(inputs[0], Nonlinearity::kTanhGelu));
    case kSilu:
      return finished(ops::nonlinear(inputs[0], Nonlinearity::kSilu));
    case kHardSwish:
      return finished(ops::nonlinear(inputs[0], Nonlinearity::kHardSwish));
    case kHardSigmoid:
      return finished(ops::nonlinear(inputs[0], Nonlinearity::kHardSigmoid));
    case kSoftmax:
      return finished(ops::softmax(inputs[0]));
    case kLayerNorm:
      return finished(ops::layer_norm(inputs[0], parameter(0), parameter(1), step.factors[0]));
    case kMean: {
      const Shape shape = inputs[0].shape();
      return finished(ops::mean_regions(
          ops::reshape(inputs[0], {shape.size() / shape.cols(), shape.cols(), 1})));
    }
    case kMaxPool:
    case kAveragePool: {
      const ops::Pool2dOptions pool{
          .kernel = step.numbers[0], .stride = step.numbers[1], .padding = step.numbers[2]};
      return step.op == kMaxPool ? ops::max_pool2d(image(inputs[0]), pool)
                                 : ops::avg_pool2d(image(inputs[0]), pool);
    }
    case kMeanOfCells:
      return finished(ops::global_avg_pool(image(inputs[0])));
    case kConstant:
      break;
  }
  throw InternalError("unknown step of a network");
}

std::vector<Var> TensorNetwork::run(Tape& tape, Var pixels) const {
  const Index batch = pixels.shape()[0];
  const std::vector<int> repeated(static_cast<std::size_t>(batch), 0);
  return segments_.run(tape, pixels, model_.graph.outputs,
                       [&](std::size_t i, std::span<const Var> inputs) {
                         const TensorStep& step = model_.graph.steps[i];
                         if (step.op != TensorOp::kConstant) return run_step(tape, i, inputs);
                         // The same numbers for every picture.
                         const Index each = numbers_in(step.extents), width = last_of(step.extents);
                         const Var array = tape.parameter(parameters_[i][0]);
                         const Var all = ops::embedding(ops::reshape(array, {1, each}), repeated);
                         return ops::reshape(all, {batch, each / width, width});
                       });
}

}  // namespace saccade

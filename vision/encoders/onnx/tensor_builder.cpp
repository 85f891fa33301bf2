#include "vision/encoders/onnx/tensor_builder.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/error.h"
#include "vision/encoders/onnx/onnx_model.h"

namespace saccade {

using onnx_file::ConstantArray;

namespace {

const std::vector<Index> kChannelsLast = {0, 2, 3, 1}, kChannelsSecond = {0, 3, 1, 2};

Extents physical(const Extents& extents, bool last) {
  if (!last) return extents;
  return {extents[0], extents[2], extents[3], extents[1]};
}

// Infinitely negative numbers, as masks have them, become large ones, so that no difference of two
// of them is computed.
std::vector<float> floats_of(const ConstantArray& array) {
  constexpr float kUnseen = -1e9F;
  std::vector<float> floats(array.values.begin(), array.values.end());
  for (float& value : floats) {
    if (std::isfinite(value)) continue;
    if (!(value < 0)) throw DataError("has a number that is not finite");
    value = kUnseen;
  }
  return floats;
}

// A mask rules positions out by large negative numbers, which training must not change.
bool is_mask(const ConstantArray& array) {
  constexpr double kRuledOut = -50;
  return std::ranges::any_of(array.values, [](double v) { return v <= kRuledOut; });
}

// The extent of an array that has numbers along a single axis; that axis, counted from the last
// one.
std::optional<std::size_t> single_axis(const Extents& extents) {
  std::optional<std::size_t> found;
  for (std::size_t a = 0; a < extents.size(); ++a) {
    if (extents[a] == 1) continue;
    if (found) return std::nullopt;
    found = extents.size() - 1 - a;
  }
  return found;
}

}  // namespace

TensorBuilder::TensorBuilder(Index rows, Index cols)
    : picture_{.id = 0, .extents = {1, 3, rows, cols}, .last = true} {
  model_.graph.pixels = {rows, cols, 3};
}

void TensorBuilder::name_arrays(const std::string& node) { name_ = onnx_file::plain_name(node); }

TensorValue TensorBuilder::push(TensorStep step, Extents extents, bool last,
                                std::vector<ConstantArray> arrays) {
  step.extents = physical(extents, last);
  numbers_in(extents);
  for (const Index extent : extents)
    if (extent < 1) throw DataError("computes nothing");
  for (const double factor : step.factors)
    if (!std::isfinite(factor)) throw DataError("has a number that is not finite");
  std::vector<std::vector<float>>& numbers = model_.arrays.emplace_back();
  for (const ConstantArray& array : arrays) {
    step.arrays.push_back(array.extents);
    numbers.push_back(floats_of(array));
  }
  if (!arrays.empty()) {
    step.name = name_;
    for (int copy = 2; !names_.insert(step.name).second; ++copy) step.name = str(name_, "_", copy);
  }
  model_.graph.steps.push_back(std::move(step));
  return {.id = static_cast<int>(model_.graph.steps.size()),
          .extents = std::move(extents),
          .last = last};
}

TensorValue TensorBuilder::alike(TensorOp op, const TensorValue& x, std::vector<double> factors) {
  return push({.op = op, .inputs = {x.id}, .factors = std::move(factors)}, x.extents, x.last);
}

TensorValue TensorBuilder::rearrange(TensorOp op, const TensorValue& x,
                                     std::vector<Index> numbers) {
  const TensorValue from = plain(x);
  Extents extents = rearrangement_of(op, {&from.extents, 1}, numbers).extents;
  return push({.op = op, .inputs = {from.id}, .numbers = std::move(numbers)}, std::move(extents),
              false);
}

TensorValue TensorBuilder::concat(std::vector<TensorValue> parts, Index axis) {
  std::vector<int> inputs;
  std::vector<Extents> extents;
  for (TensorValue& part : parts) {
    part = plain(part);
    inputs.push_back(part.id);
    extents.push_back(part.extents);
  }
  Extents out = rearrangement_of(TensorOp::kConcat, extents, {&axis, 1}).extents;
  return push({.op = TensorOp::kConcat, .inputs = std::move(inputs), .numbers = {axis}},
              std::move(out), false);
}

TensorValue TensorBuilder::reshape(const TensorValue& x, Extents extents) {
  if (x.extents == extents) return x;
  return push({.op = TensorOp::kReshape, .inputs = {plain(x).id}}, std::move(extents), false);
}

TensorValue TensorBuilder::transpose(const TensorValue& x, const std::vector<Index>& axes) {
  std::vector<Index> same(axes.size());
  std::iota(same.begin(), same.end(), Index{0});
  if (axes == same) return x;
  // Images whose channels lie as wanted already.
  if (x.last && axes == kChannelsLast)
    return {.id = x.id, .extents = physical(x.extents, true), .last = false};
  if (!x.last && axes == kChannelsSecond && x.extents.size() == 4 && x.extents[0] == 1)
    return {.id = x.id,
            .extents = {x.extents[0], x.extents[3], x.extents[1], x.extents[2]},
            .last = true};
  return rearrange(TensorOp::kTranspose, x, axes);
}

TensorValue TensorBuilder::plain(const TensorValue& x) {
  if (!x.last) return x;
  return push({.op = TensorOp::kTranspose, .inputs = {x.id}, .numbers = kChannelsSecond}, x.extents,
              false);
}

TensorValue TensorBuilder::image(const TensorValue& x) {
  if (x.last) return x;
  if (x.extents.size() != 4 || x.extents[0] != 1)
    throw DataError("works on something else than an image");
  return push({.op = TensorOp::kTranspose, .inputs = {x.id}, .numbers = kChannelsLast}, x.extents,
              true);
}

TensorValue TensorBuilder::conv(const TensorValue& x, const ConstantArray& kernel,
                                const ConstantArray* shift, std::vector<Index> numbers) {
  const TensorValue from = image(x);
  const Index out = kernel.extents[0], in = kernel.extents[1], side = kernel.extents[2];
  // [out, in, kh, kw] -> [kh, kw, in, out]
  const ConstantArray* one = &kernel;
  ConstantArray own{.extents = {side, side, in, out}, .values = {}};
  const std::vector<Index> order{2, 3, 1, 0};
  for (const int place : rearrangement_of(TensorOp::kTranspose, {&one->extents, 1}, order).from)
    own.values.push_back(kernel.values[static_cast<std::size_t>(place)]);
  std::vector<ConstantArray> arrays{std::move(own)};
  if (shift) arrays.push_back(*shift);
  const auto after = [&](Index extent) {
    const Index room = extent + numbers[1] + numbers[2] - ((side - 1) * numbers[4] + 1);
    return room < 0 ? Index{0} : room / numbers[0] + 1;
  };
  const Extents extents{1, out, after(from.extents[2]), after(from.extents[3])};
  return push({.op = TensorOp::kConv, .inputs = {from.id}, .numbers = std::move(numbers)}, extents,
              true, std::move(arrays));
}

TensorValue TensorBuilder::pool(TensorOp op, const TensorValue& x, Index kernel, Index stride,
                                Index padding) {
  const TensorValue from = image(x);
  const auto after = [&](Index extent) {
    const Index room = extent + 2 * padding - kernel;
    return room < 0 ? Index{0} : room / stride + 1;
  };
  return push({.op = op, .inputs = {from.id}, .numbers = {kernel, stride, padding}},
              {1, from.extents[1], after(from.extents[2]), after(from.extents[3])}, true);
}

TensorValue TensorBuilder::linear(const TensorValue& x, const ConstantArray& weight) {
  const TensorValue from = plain(x);
  if (from.extents.empty() || from.extents.back() != weight.extents[0])
    throw DataError(str("has weights for ", weight.extents[0], " numbers and gets others"));
  Extents extents = from.extents;
  extents.back() = weight.extents[1];
  return push({.op = TensorOp::kLinear, .inputs = {from.id}}, std::move(extents), false, {weight});
}

TensorValue TensorBuilder::matrices(const TensorValue& a, const TensorValue& b) {
  TensorValue left = plain(a), right = plain(b);
  const std::size_t l = left.extents.size(), r = right.extents.size();
  if (l < 2 || r < 2 || left.extents[l - 1] != right.extents[r - 2])
    throw DataError("multiplies matrices whose extents do not fit");
  const Index m = left.extents[l - 2], k = left.extents[l - 1], p = right.extents[r - 1];
  const Extents outer =
      onnx_file::common_extents(Extents(left.extents.begin(), left.extents.end() - 2),
                                Extents(right.extents.begin(), right.extents.end() - 2));
  const auto with = [&](Index rows, Index cols) {
    Extents all = outer;
    all.insert(all.end(), {rows, cols});
    return all;
  };
  left = expand(left, with(m, k));
  right = expand(right, with(k, p));
  return push({.op = TensorOp::kMatrices,
               .inputs = {left.id, right.id},
               .numbers = {numbers_in(outer), m, k, p}},
              with(m, p), false);
}

TensorValue TensorBuilder::expand(const TensorValue& x, const Extents& extents) {
  if (x.extents == extents) return x;
  if (numbers_in(x.extents) == numbers_in(extents)) return reshape(x, extents);
  return rearrange(TensorOp::kExpand, x, extents);
}

TensorValue TensorBuilder::pair(TensorOp op, const TensorValue& a, const TensorValue& b) {
  const Extents extents = onnx_file::common_extents(a.extents, b.extents);
  // One number for each channel of an image.
  for (const auto& [all, each] : {std::pair(&a, &b), std::pair(&b, &a)})
    if (op == TensorOp::kMultiply && all->last && all->extents == extents &&
        each->extents.size() == 4 && numbers_in(each->extents) == all->extents[1] &&
        each->extents[1] == all->extents[1])
      return push({.op = TensorOp::kChannelFactors, .inputs = {all->id, each->id}}, extents, true);
  TensorValue left = a, right = b;
  if (left.extents != extents || right.extents != extents || left.last != right.last) {
    left = expand(plain(left), extents);
    right = expand(plain(right), extents);
  }
  return push({.op = op, .inputs = {left.id, right.id}}, extents, left.last);
}

TensorValue TensorBuilder::with_constant(TensorOp op, const TensorValue& x,
                                         const ConstantArray& constant) {
  const bool adds = op == TensorOp::kAdd;
  const Extents extents = onnx_file::common_extents(x.extents, constant.extents);
  if (constant.values.size() == 1) {
    TensorValue out = alike(adds ? TensorOp::kShift : TensorOp::kScale, x, {constant.values[0]});
    return out.extents == extents ? out : reshape(out, extents);
  }
  // One number for each channel, or for each number of a row.
  const auto axis = single_axis(constant.extents);
  const std::size_t channels = x.last ? 2 : 0;  // the axis that lies last, from the last one
  if (axis && *axis == channels && x.extents == extents) {
    ConstantArray row{.extents = {static_cast<Index>(constant.values.size())},
                      .values = constant.values};
    TensorStep* before =
        x.id > 0 ? &model_.graph.steps[static_cast<std::size_t>(x.id) - 1] : nullptr;
    // The shift behind a product belongs to it.
    if (adds && before && !x.shared && before->op == TensorOp::kLinear &&
        before->arrays.size() == 1 && x.id == static_cast<int>(model_.graph.steps.size())) {
      before->arrays.push_back(row.extents);
      model_.arrays.back().push_back(floats_of(row));
      return x;
    }
    return push(
        {.op = adds ? TensorOp::kShiftChannels : TensorOp::kScaleChannels, .inputs = {x.id}},
        extents, x.last, {std::move(row)});
  }
  return pair(op, x, this->constant(constant));
}

TensorValue TensorBuilder::layer_norm(const TensorValue& x, const ConstantArray& gain,
                                      const ConstantArray& shift, double epsilon) {
  const TensorValue from = plain(x);
  return push({.op = TensorOp::kLayerNorm, .inputs = {from.id}, .factors = {epsilon}}, from.extents,
              false, {gain, shift});
}

TensorValue TensorBuilder::mean(const TensorValue& x, const std::vector<Index>& axes) {
  Extents extents = x.extents;
  std::vector<bool> gone(extents.size(), false);
  for (const Index axis : axes) {
    gone[static_cast<std::size_t>(axis)] = true;
    extents[static_cast<std::size_t>(axis)] = 1;
  }
  if (x.last && gone == std::vector<bool>{false, false, true, true})
    return push({.op = TensorOp::kMeanOfCells, .inputs = {x.id}}, extents, true);
  std::vector<Index> order;
  for (const bool wanted : {false, true})
    for (std::size_t a = 0; a < gone.size(); ++a)
      if (gone[a] == wanted) order.push_back(static_cast<Index>(a));
  const TensorValue moved = transpose(x, order);
  const Index outer = numbers_in(extents), each = numbers_in(x.extents) / std::max<Index>(outer, 1);
  const TensorValue rows = reshape(moved, {outer, each});
  return reshape(push({.op = TensorOp::kMean, .inputs = {rows.id}}, {outer, 1}, false), extents);
}

TensorValue TensorBuilder::constant(const ConstantArray& array) {
  return push({.op = TensorOp::kConstant, .fixed = is_mask(array) || array.whole}, array.extents,
              false, {array});
}

TensorModel TensorBuilder::take(std::vector<TensorValue> outputs) {
  for (const TensorValue& output : outputs) model_.graph.outputs.push_back(image(output).id);
  return std::move(model_);
}

}  // namespace saccade

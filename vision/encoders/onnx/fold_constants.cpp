#include "vision/encoders/onnx/fold_constants.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>

#include "core/base/error.h"
#include "vision/encoders/onnx/onnx_model.h"

namespace saccade::onnx_file {

namespace {

using Arrays = std::span<const ConstantArray* const>;
using Result = std::optional<std::vector<ConstantArray>>;

const ConstantArray& input(Arrays inputs, std::size_t i) {
  if (i >= inputs.size() || inputs[i] == nullptr) misfit();
  return *inputs[i];
}
const ConstantArray* optional_input(Arrays inputs, std::size_t i) {
  return i < inputs.size() ? inputs[i] : nullptr;
}

template <class T>
void read_raw(const std::string& raw, std::vector<double>& to) {
  for (std::size_t i = 0; i + sizeof(T) <= raw.size(); i += sizeof(T)) {
    T value;
    std::memcpy(&value, raw.data() + i, sizeof value);
    to.push_back(static_cast<double>(value));
  }
}

ConstantArray rearranged(TensorOp op, std::span<const ConstantArray* const> parts,
                         std::span<const Index> numbers) {
  std::vector<Extents> extents;
  std::vector<double> all;
  for (const ConstantArray* part : parts) {
    extents.push_back(part->extents);
    all.insert(all.end(), part->values.begin(), part->values.end());
  }
  Rearrangement made = rearrangement_of(op, extents, numbers);
  ConstantArray out{.extents = std::move(made.extents), .values = {}, .whole = parts[0]->whole};
  for (const int place : made.from)
    out.values.push_back(place < 0 ? 0 : all[static_cast<std::size_t>(place)]);
  return out;
}
ConstantArray rearranged(TensorOp op, const ConstantArray& array, std::span<const Index> numbers) {
  const ConstantArray* part = &array;
  return rearranged(op, {&part, 1}, numbers);
}

// Of two numbers, by operator; null for others.
std::function<double(double, double)> pairwise(const std::string& op, bool whole, bool remainder) {
  if (op == "Add") return std::plus<>();
  if (op == "Sub") return std::minus<>();
  if (op == "Mul") return std::multiplies<>();
  if (op == "Div") return [whole](double a, double b) { return whole ? std::trunc(a / b) : a / b; };
  if (op == "Mod")
    return [remainder](double a, double b) {
      return remainder ? std::fmod(a, b) : a - b * std::floor(a / b);
    };
  if (op == "Pow") return [](double a, double b) { return std::pow(a, b); };
  if (op == "Max") return [](double a, double b) { return std::max(a, b); };
  if (op == "Min") return [](double a, double b) { return std::min(a, b); };
  if (op == "Equal") return [](double a, double b) { return a == b ? 1.0 : 0.0; };
  if (op == "Less") return [](double a, double b) { return a < b ? 1.0 : 0.0; };
  if (op == "LessOrEqual") return [](double a, double b) { return a <= b ? 1.0 : 0.0; };
  if (op == "Greater") return [](double a, double b) { return a > b ? 1.0 : 0.0; };
  if (op == "GreaterOrEqual") return [](double a, double b) { return a >= b ? 1.0 : 0.0; };
  if (op == "And") return [](double a, double b) { return a != 0 && b != 0 ? 1.0 : 0.0; };
  if (op == "Or") return [](double a, double b) { return a != 0 || b != 0 ? 1.0 : 0.0; };
  if (op == "Xor") return [](double a, double b) { return (a != 0) != (b != 0) ? 1.0 : 0.0; };
  return {};
}

std::function<double(double)> single(const std::string& op) {
  if (op == "Identity") return [](double x) { return x; };
  if (op == "Neg") return [](double x) { return -x; };
  if (op == "Abs") return [](double x) { return std::abs(x); };
  if (op == "Not") return [](double x) { return x == 0 ? 1.0 : 0.0; };
  if (op == "Sqrt") return [](double x) { return std::sqrt(x); };
  if (op == "Exp") return [](double x) { return std::exp(x); };
  if (op == "Log") return [](double x) { return std::log(x); };
  if (op == "Reciprocal") return [](double x) { return 1 / x; };
  if (op == "Floor") return [](double x) { return std::floor(x); };
  if (op == "Ceil") return [](double x) { return std::ceil(x); };
  if (op == "Round") return [](double x) { return std::nearbyint(x); };
  if (op == "IsNaN") return [](double x) { return std::isnan(x) ? 1.0 : 0.0; };
  if (op == "Sigmoid") return [](double x) { return 1 / (1 + std::exp(-x)); };
  if (op == "Tanh") return [](double x) { return std::tanh(x); };
  return {};
}

bool compares(const std::string& op) {
  for (const char* name : {"Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual", "And", "Or",
                           "Xor", "Not", "IsNaN"})
    if (op == name) return true;
  return false;
}

ConstantArray paired(const std::function<double(double, double)>& f, const ConstantArray& a,
                     const ConstantArray& b) {
  const Extents extents = common_extents(a.extents, b.extents);
  ConstantArray left = expanded(a, extents);
  const ConstantArray right = expanded(b, extents);
  for (std::size_t i = 0; i < left.values.size(); ++i)
    left.values[i] = f(left.values[i], right.values[i]);
  return left;
}

ConstantArray converted(const Node& node, const ConstantArray& array) {
  const Index to = integer(node, "to", 0);
  ConstantArray out = array;
  out.whole = to != onnx::TensorProto::FLOAT && to != onnx::TensorProto::DOUBLE &&
              to != onnx::TensorProto::FLOAT16 && to != onnx::TensorProto::BFLOAT16;
  for (double& value : out.values) {
    if (to == onnx::TensorProto::BOOL) value = value != 0 ? 1 : 0;
    if (to == onnx::TensorProto::FLOAT) value = static_cast<double>(static_cast<float>(value));
    if (out.whole) value = std::trunc(value);
  }
  return out;
}

// Bounds are inputs, or attributes before opset 11.
ConstantArray clipped(const Node& node, Arrays inputs) {
  ConstantArray out = input(inputs, 0);
  const auto bound = [&](std::size_t i, const char* name, double none) {
    const ConstantArray* given = optional_input(inputs, i);
    if (given == nullptr) return real_number(node, name, none);
    if (given->values.size() != 1) misfit();
    return given->values[0];
  };
  constexpr double kNone = std::numeric_limits<double>::infinity();
  const double least = bound(1, "min", -kNone), most = bound(2, "max", kNone);
  for (double& value : out.values) value = std::min(std::max(value, least), most);
  return out;
}

ConstantArray gathered(const Node& node, const ConstantArray& data, const ConstantArray& places) {
  const std::size_t axis = axis_in(integer(node, "axis", 0), data.extents.size());
  std::vector<Index> numbers{static_cast<Index>(axis)};
  for (const Index place : whole_numbers(places))
    numbers.push_back(place < 0 ? place + data.extents[axis] : place);
  ConstantArray out = rearranged(TensorOp::kGather, data, numbers);
  out.extents.erase(out.extents.begin() + static_cast<Index>(axis));
  out.extents.insert(out.extents.begin() + static_cast<Index>(axis), places.extents.begin(),
                     places.extents.end());
  return out;
}

ConstantArray ranged(Arrays inputs) {
  for (const std::size_t i : {0, 1, 2})
    if (input(inputs, i).values.size() != 1) misfit();
  const double first = inputs[0]->values[0], end = inputs[1]->values[0],
               step = inputs[2]->values[0];
  constexpr double kMost = 1 << 24;
  const double count = step == 0 ? -1 : std::max(0.0, std::ceil((end - first) / step));
  if (!(count >= 0 && count <= kMost)) misfit();
  const auto numbers = static_cast<Index>(count);
  ConstantArray out{.extents = {numbers}, .values = {}, .whole = input(inputs, 0).whole};
  for (Index i = 0; i < numbers; ++i) out.values.push_back(first + static_cast<double>(i) * step);
  return out;
}

// data with updates at the places that the last axis of `places` lists.
ConstantArray scattered(ConstantArray data, const ConstantArray& places,
                        const ConstantArray& updates) {
  if (places.extents.empty()) misfit();
  const auto depth = static_cast<std::size_t>(places.extents.back());
  if (depth == 0 || depth > data.extents.size()) misfit();
  const Index each =
      numbers_in(Extents(data.extents.begin() + static_cast<Index>(depth), data.extents.end()));
  const std::vector<Index> numbers = whole_numbers(places);
  const std::size_t count = numbers.size() / depth;
  if (updates.values.size() != count * static_cast<std::size_t>(each)) misfit();
  for (std::size_t u = 0; u < count; ++u) {
    Index block = 0;
    for (std::size_t a = 0; a < depth; ++a) {
      Index place = numbers[u * depth + a];
      if (place < 0) place += data.extents[a];
      if (place < 0 || place >= data.extents[a]) misfit();
      block = block * data.extents[a] + place;
    }
    std::copy_n(updates.values.begin() + static_cast<Index>(u) * each, each,
                data.values.begin() + block * each);
  }
  return data;
}

ConstantArray tiled(ConstantArray array, const std::vector<Index>& times) {
  if (times.size() != array.extents.size()) misfit();
  for (std::size_t a = 0; a < times.size(); ++a) {
    constexpr Index kMost = 1 << 20;
    if (times[a] < 1 || times[a] > kMost) misfit();
    const std::vector<const ConstantArray*> parts(static_cast<std::size_t>(times[a]), &array);
    const Index axis = static_cast<Index>(a);
    array = rearranged(TensorOp::kConcat, parts, {&axis, 1});
  }
  return array;
}

ConstantArray reduced(const Node& node, Arrays inputs, const std::string& op) {
  const ConstantArray& x = input(inputs, 0);
  std::vector<Index> axes(x.extents.size());
  std::iota(axes.begin(), axes.end(), Index{0});
  if (const auto given = listed(node, "axes", optional_input(inputs, 1)); given && !given->empty())
    axes = *given;
  std::vector<bool> gone(x.extents.size(), false);
  for (const Index axis : axes) gone[axis_in(axis, gone.size())] = true;
  std::vector<Index> order;
  Extents kept, squeezed;
  for (std::size_t a = 0; a < gone.size(); ++a) {
    if (!gone[a]) order.push_back(static_cast<Index>(a));
    kept.push_back(gone[a] ? 1 : x.extents[a]);
    if (!gone[a]) squeezed.push_back(x.extents[a]);
  }
  const Index outer = numbers_in(kept);
  for (std::size_t a = 0; a < gone.size(); ++a)
    if (gone[a]) order.push_back(static_cast<Index>(a));
  const ConstantArray moved = rearranged(TensorOp::kTranspose, x, order);
  ConstantArray out{.extents = integer(node, "keepdims", 1) != 0 ? kept : squeezed,
                    .values = {},
                    .whole = x.whole};
  const std::size_t each = outer == 0 ? 0 : moved.values.size() / static_cast<std::size_t>(outer);
  for (Index o = 0; o < outer; ++o) {
    const auto first = moved.values.begin() + o * static_cast<Index>(each),
               last = first + static_cast<Index>(each);
    double value = op == "ReduceProd" ? 1 : 0;
    if (op == "ReduceMax" || op == "ReduceMin") {
      if (first == last) misfit();
      value = op == "ReduceMax" ? *std::max_element(first, last) : *std::min_element(first, last);
    } else {
      for (auto it = first; it != last; ++it)
        value = op == "ReduceProd" ? value * *it : value + *it;
    }
    out.values.push_back(op == "ReduceMean" ? value / static_cast<double>(each) : value);
  }
  return out;
}

std::vector<ConstantArray> split_up(const Node& node, Arrays inputs) {
  const ConstantArray& x = input(inputs, 0);
  std::vector<ConstantArray> out;
  const std::size_t axis = axis_in(integer(node, "axis", 0), x.extents.size());
  Index first = 0;
  for (const Index size : split_sizes(node, x.extents[axis], optional_input(inputs, 1))) {
    const std::vector<Index> numbers{static_cast<Index>(axis), first, size, 1};
    out.push_back(rearranged(TensorOp::kSlice, x, numbers));
    first += size;
  }
  return out;
}

}  // namespace

ConstantArray constant_of(const onnx::TensorProto& tensor, const std::string& place) {
  ConstantArray out{.extents = {tensor.dims().begin(), tensor.dims().end()}, .values = {}};
  std::vector<double>& to = out.values;
  const auto add = [&](const auto& from) { to.assign(from.begin(), from.end()); };
  const std::string& raw = tensor.raw_data();
  switch (tensor.data_type()) {
    case onnx::TensorProto::FLOAT:
      tensor.has_raw_data() ? read_raw<float>(raw, to) : add(tensor.float_data());
      break;
    case onnx::TensorProto::DOUBLE:
      tensor.has_raw_data() ? read_raw<double>(raw, to) : add(tensor.double_data());
      break;
    case onnx::TensorProto::INT64:
      tensor.has_raw_data() ? read_raw<std::int64_t>(raw, to) : add(tensor.int64_data());
      break;
    case onnx::TensorProto::INT32:
      tensor.has_raw_data() ? read_raw<std::int32_t>(raw, to) : add(tensor.int32_data());
      break;
    case onnx::TensorProto::BOOL:
    case onnx::TensorProto::UINT8:
      tensor.has_raw_data() ? read_raw<std::uint8_t>(raw, to) : add(tensor.int32_data());
      break;
    default:
      throw DataError(place +
                      ": is of a type that is not known here; export the network in 32-bit floats");
  }
  if (std::ssize(to) != numbers_in(out.extents))
    throw DataError(place + ": its numbers do not fill its extents; the file is damaged");
  out.whole = tensor.data_type() != onnx::TensorProto::FLOAT &&
              tensor.data_type() != onnx::TensorProto::DOUBLE;
  return out;
}

Extents common_extents(const Extents& a, const Extents& b) {
  Extents out(std::max(a.size(), b.size()), 1);
  for (const Extents* one : {&a, &b})
    for (std::size_t i = 0; i < one->size(); ++i) {
      Index& to = out[out.size() - one->size() + i];
      const Index own = (*one)[i];
      if (own != 1 && to != 1 && own != to) misfit();
      if (own != 1) to = own;
    }
  return out;
}

ConstantArray expanded(const ConstantArray& array, const Extents& extents) {
  return array.extents == extents ? array : rearranged(TensorOp::kExpand, array, extents);
}

Result folded(const Node& node, Arrays inputs) {
  const std::string& op = node.op_type();
  const auto one = [](ConstantArray array) { return Result(std::vector{std::move(array)}); };
  if (const auto f = single(op)) {
    ConstantArray out = input(inputs, 0);
    for (double& value : out.values) value = f(value);
    out.whole = out.whole || compares(op);
    return one(std::move(out));
  }
  const bool whole = !inputs.empty() && inputs[0] && inputs[0]->whole;
  if (const auto f = pairwise(op, whole, integer(node, "fmod", 0) != 0)) {
    ConstantArray out = paired(f, input(inputs, 0), input(inputs, 1));
    for (std::size_t i = 2; i < inputs.size(); ++i) out = paired(f, out, input(inputs, i));
    out.whole = out.whole || compares(op);
    return one(std::move(out));
  }
  if (op == "Cast" || op == "CastLike") return one(converted(node, input(inputs, 0)));
  if (op == "Clip") return one(clipped(node, inputs));
  if (op == "Shape") {
    const Extents& of = input(inputs, 0).extents;
    return one(shape_array(node, of));
  }
  if (op == "Size")
    return one({.extents = {},
                .values = {static_cast<double>(numbers_in(input(inputs, 0).extents))},
                .whole = true});
  if (op == "Gather") return one(gathered(node, input(inputs, 0), input(inputs, 1)));
  if (op == "Concat") {
    for (std::size_t i = 0; i < inputs.size(); ++i) input(inputs, i);
    const Index axis =
        static_cast<Index>(axis_in(integer(node, "axis", 0), inputs[0]->extents.size()));
    return one(rearranged(TensorOp::kConcat, inputs, {&axis, 1}));
  }
  if (op == "Reshape" || op == "Squeeze" || op == "Unsqueeze" || op == "Flatten") {
    ConstantArray out = input(inputs, 0);
    out.extents = extents_after(node, out.extents, optional_input(inputs, 1));
    return one(std::move(out));
  }
  if (op == "Transpose") {
    const ConstantArray& x = input(inputs, 0);
    return one(rearranged(TensorOp::kTranspose, x, axes_of_transpose(node, x.extents.size())));
  }
  if (op == "Slice") {
    ConstantArray out = input(inputs, 0);
    for (const std::vector<Index>& cut : slices_of(node, out.extents, inputs))
      out = rearranged(TensorOp::kSlice, out, cut);
    return one(std::move(out));
  }
  if (op == "Split") return split_up(node, inputs);
  if (op == "Expand") {
    const ConstantArray& x = input(inputs, 0);
    return one(expanded(x, common_extents(x.extents, whole_numbers(input(inputs, 1)))));
  }
  if (op == "Resize") return one(resized(node, inputs));
  if (op == "Tile") return one(tiled(input(inputs, 0), whole_numbers(input(inputs, 1))));
  if (op == "Range") return one(ranged(inputs));
  if (op == "ScatterND")
    return one(scattered(input(inputs, 0), input(inputs, 1), input(inputs, 2)));
  if (op == "ConstantOfShape") {
    ConstantArray out{.extents = whole_numbers(input(inputs, 0)), .values = {}};
    double value = 0;
    if (const auto* given = attribute(node, "value")) {
      const ConstantArray filler = constant_of(given->t(), shown(node));
      if (filler.values.size() != 1) misfit();
      value = filler.values[0];
      out.whole = filler.whole;
    }
    out.values.assign(static_cast<std::size_t>(numbers_in(out.extents)), value);
    return one(std::move(out));
  }
  if (op == "Where") {
    const ConstantArray &test = input(inputs, 0), &yes = input(inputs, 1), &no = input(inputs, 2);
    const Extents extents = common_extents(test.extents, common_extents(yes.extents, no.extents));
    const ConstantArray chosen = expanded(test, extents), other = expanded(no, extents);
    ConstantArray out = expanded(yes, extents);
    for (std::size_t i = 0; i < out.values.size(); ++i)
      if (chosen.values[i] == 0) out.values[i] = other.values[i];
    return one(std::move(out));
  }
  if (op == "ReduceSum" || op == "ReduceProd" || op == "ReduceMax" || op == "ReduceMin" ||
      op == "ReduceMean")
    return one(reduced(node, inputs, op));
  return std::nullopt;
}

}  // namespace saccade::onnx_file

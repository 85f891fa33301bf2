// The operators that compute something of what they read, as steps over arrays.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/error.h"
#include "vision/encoders/onnx/onnx_model.h"
#include "vision/encoders/onnx/tensor_reader.h"

namespace saccade {

using onnx_file::attribute;
using onnx_file::axis_in;
using onnx_file::ConstantArray;
using onnx_file::integer;
using onnx_file::integers;
using onnx_file::listed;
using onnx_file::Node;
using onnx_file::real_number;

namespace {

void scale_by(ConstantArray& array, double factor) {
  for (double& value : array.values) value *= factor;
}

ConstantArray transposed(const ConstantArray& matrix) {
  ConstantArray out{.extents = {matrix.extents[1], matrix.extents[0]}, .values = {}};
  for (Index c = 0; c < matrix.extents[1]; ++c)
    for (Index r = 0; r < matrix.extents[0]; ++r)
      out.values.push_back(matrix.values[static_cast<std::size_t>(r * matrix.extents[1] + c)]);
  return out;
}

}  // namespace

void TensorReader::read_conv(const Node& node) {
  TensorValue x = builder_.image(value(node, 0));
  const ConstantArray& kernel = needed_constant(node, 1);
  if (kernel.extents.size() != 4 || kernel.extents[2] != kernel.extents[3])
    refuse(node, "has a window that is not square");
  const std::vector<Index> strides = integers(node, "strides", {1, 1}),
                           dilations = integers(node, "dilations", {1, 1});
  if (strides.size() != 2 || strides[0] != strides[1] || dilations.size() != 2 ||
      dilations[0] != dilations[1])
    refuse(node, "treats rows and columns differently");
  const std::string kind = onnx_file::auto_pad(node);
  std::vector<Index> pads = integers(node, "pads", {0, 0, 0, 0});
  if (kind == "SAME_UPPER" || kind == "SAME_LOWER") {
    const Index reach = (kernel.extents[2] - 1) * dilations[0] + 1;
    for (std::size_t a = 0; a < 2; ++a) {
      const Index extent = x.extents[a + 2], out = (extent + strides[0] - 1) / strides[0],
                  both = std::max(Index{0}, (out - 1) * strides[0] + reach - extent),
                  less = both / 2;
      pads[a] = kind == "SAME_UPPER" ? less : both - less;
      pads[a + 2] = both - pads[a];
    }
  }
  if (pads.size() != 4) refuse(node, "has a window that does not have two axes");
  if (pads[0] != pads[1] || pads[2] != pads[3]) {
    x = builder_.image(
        builder_.rearrange(TensorOp::kPad, x, {0, 0, pads[0], pads[1], 0, 0, pads[2], pads[3]}));
    pads = {0, 0, 0, 0};
  }
  set(node, builder_.conv(x, kernel, constant(node, 2),
                          {strides[0], pads[0], pads[2], integer(node, "group", 1), dilations[0]}));
}

void TensorReader::read_pool(const Node& node) {
  const std::vector<Index> kernel = integers(node, "kernel_shape", {}),
                           strides = integers(node, "strides", {1, 1}),
                           pads = integers(node, "pads", {0, 0, 0, 0});
  if (kernel.size() != 2 || kernel[0] != kernel[1] || strides.size() != 2 ||
      strides[0] != strides[1] || pads.size() != 4 ||
      std::ranges::any_of(pads, [&](Index pad) { return pad != pads[0]; }) ||
      onnx_file::auto_pad(node) != "NOTSET")
    refuse(node, "treats rows and columns differently");
  if (integer(node, "ceil_mode", 0) != 0 ||
      (pads[0] > 0 && integer(node, "count_include_pad", 0) != 0))
    refuse(node, "rounds extents up, or counts padding in its means");
  const bool max = node.op_type() == "MaxPool";
  set(node, builder_.pool(max ? TensorOp::kMaxPool : TensorOp::kAveragePool, value(node, 0),
                          kernel[0], strides[0], pads[0]));
}

void TensorReader::read_batch_norm(const Node& node) {
  const TensorValue x = builder_.image(value(node, 0));
  ConstantArray gain = needed_constant(node, 1), shift = needed_constant(node, 2);
  const ConstantArray &mean = needed_constant(node, 3), &variance = needed_constant(node, 4);
  const double epsilon = real_number(node, "epsilon", 1e-5);
  const std::size_t channels = gain.values.size();
  for (const ConstantArray* one :
       std::initializer_list<const ConstantArray*>{&shift, &mean, &variance})
    if (one->values.size() != channels) refuse(node, "has numbers for other channels");
  for (std::size_t c = 0; c < channels; ++c) {
    gain.values[c] /= std::sqrt(variance.values[c] + epsilon);
    shift.values[c] -= gain.values[c] * mean.values[c];
  }
  gain.extents = shift.extents = {static_cast<Index>(channels), 1, 1};
  set(node, builder_.add(builder_.multiply(x, gain), shift));
}

void TensorReader::read_gemm(const Node& node) {
  if (integer(node, "transA", 0) != 0) refuse(node, "transposes its input");
  ConstantArray weight = needed_constant(node, 1);
  if (weight.extents.size() != 2) refuse(node, "has weights that are no matrix");
  if (integer(node, "transB", 0) != 0) weight = transposed(weight);
  scale_by(weight, real_number(node, "alpha", 1));
  TensorValue made = builder_.linear(value(node, 0), weight);
  if (const ConstantArray* bias = constant(node, 2)) {
    ConstantArray own = *bias;
    scale_by(own, real_number(node, "beta", 1));
    made = builder_.add(made, own);
  }
  set(node, made);
}

void TensorReader::read_matmul(const Node& node) {
  const ConstantArray* weight = constant(node, 1);
  if (weight && weight->extents.size() == 2)
    return set(node, builder_.linear(value(node, 0), *weight));
  set(node, builder_.matrices(value(node, 0), value(node, 1)));
}

void TensorReader::read_arithmetic(const Node& node) {
  const std::string& op = node.op_type();
  if (node.input_size() != 2) refuse(node, str("has ", node.input_size(), " inputs"));
  const ConstantArray *left = constant(node, 0), *right = constant(node, 1);
  const auto changed = [](ConstantArray array, const auto& f) {
    for (double& value : array.values) value = f(value);
    return array;
  };
  const auto negated = [&](const ConstantArray& array) {
    return changed(array, [](double v) { return -v; });
  };
  const auto negative = [&](const TensorValue& x) {
    return builder_.alike(TensorOp::kScale, x, {-1.0});
  };
  if (op == "Add") {
    if (right) return set(node, builder_.add(value(node, 0), *right));
    if (left) return set(node, builder_.add(value(node, 1), *left));
    return set(node, builder_.add(value(node, 0), value(node, 1)));
  }
  if (op == "Sub") {
    if (right) return set(node, builder_.add(value(node, 0), negated(*right)));
    const TensorValue minus = negative(value(node, 1));
    if (left) return set(node, builder_.add(minus, *left));
    return set(node, builder_.add(value(node, 0), minus));
  }
  if (op == "Mul") {
    if (right) return set(node, builder_.multiply(value(node, 0), *right));
    if (left) return set(node, builder_.multiply(value(node, 1), *left));
    return set(node, builder_.multiply(value(node, 0), value(node, 1)));
  }
  if (op == "Div") {
    if (right)
      return set(
          node, builder_.multiply(value(node, 0), changed(*right, [](double v) { return 1 / v; })));
    const TensorValue inverse = builder_.alike(TensorOp::kReciprocal, value(node, 1));
    if (left) return set(node, builder_.multiply(inverse, *left));
    return set(node, builder_.multiply(value(node, 0), inverse));
  }
  // A power.
  const double power = right && right->values.size() == 1 ? right->values[0] : 0;
  const TensorValue x = value(node, 0);
  if (power == 2) return set(node, builder_.multiply(x, x));
  if (power == 3) return set(node, builder_.multiply(builder_.multiply(x, x), x));
  if (power == 1.0 / 2) return set(node, builder_.alike(TensorOp::kSqrt, x));
  refuse(node, "takes another power than 2, 3 or 1/2");
}

void TensorReader::read_negative(const Node& node) {
  set(node, builder_.alike(TensorOp::kScale, value(node, 0), {-1.0}));
}

void TensorReader::read_leaky(const Node& node) {
  set(node,
      builder_.alike(TensorOp::kLeakyRelu, value(node, 0), {real_number(node, "alpha", 0.01)}));
}

void TensorReader::read_clip(const Node& node) {
  constexpr double kAll = std::numeric_limits<float>::max();
  const auto bound = [&](int input, const char* name, double otherwise) {
    const ConstantArray* given = constant(node, input);
    const double own =
        given && given->values.size() == 1 ? given->values[0] : real_number(node, name, otherwise);
    return std::clamp(own, -kAll, kAll);
  };
  set(node, builder_.alike(TensorOp::kClip, value(node, 0),
                           {bound(1, "min", -kAll), bound(2, "max", kAll)}));
}

void TensorReader::read_hard_sigmoid(const Node& node) {
  const TensorValue scaled =
      builder_.alike(TensorOp::kScale, value(node, 0), {real_number(node, "alpha", 0.2)});
  const TensorValue shifted =
      builder_.alike(TensorOp::kShift, scaled, {real_number(node, "beta", 0.5)});
  set(node, builder_.alike(TensorOp::kClip, shifted, {0.0, 1.0}));
}

void TensorReader::read_gelu(const Node& node) {
  const onnx::AttributeProto* kind = attribute(node, "approximate");
  const bool tanh = kind && kind->s() == "tanh";
  set(node, builder_.alike(tanh ? TensorOp::kTanhGelu : TensorOp::kGelu, value(node, 0)));
}

void TensorReader::read_silu(const Node& node) {
  const double steep = real_number(node, "alpha", 1);
  const TensorValue x = value(node, 0);
  if (steep == 1) return set(node, builder_.alike(TensorOp::kSilu, x));
  const TensorValue inner = builder_.alike(TensorOp::kScale, x, {steep});
  set(node, builder_.multiply(x, builder_.alike(TensorOp::kSigmoid, inner)));
}

void TensorReader::read_softmax(const Node& node) {
  const TensorValue x = value(node, 0);
  const std::size_t rank = x.extents.size(), axis = axis_in(integer(node, "axis", -1), rank);
  std::vector<Index> axes;
  for (std::size_t a = 0; a < rank; ++a) axes.push_back(static_cast<Index>(a));
  std::swap(axes[axis], axes[rank - 1]);
  const TensorValue rows = builder_.plain(builder_.transpose(x, axes));
  set(node, builder_.transpose(builder_.alike(TensorOp::kSoftmax, rows), axes));
}

void TensorReader::read_layer_norm(const Node& node) {
  const TensorValue x = value(node, 0);
  if (axis_in(integer(node, "axis", -1), x.extents.size()) != x.extents.size() - 1)
    refuse(node, "normalises over several axes");
  const ConstantArray& gain = needed_constant(node, 1);
  ConstantArray none{.extents = gain.extents,
                     .values = std::vector<double>(gain.values.size(), 0.0)};
  const ConstantArray* shift = constant(node, 2);
  set(node,
      builder_.layer_norm(x, gain, shift ? *shift : none, real_number(node, "epsilon", 1e-5)));
}

void TensorReader::read_reduction(const Node& node) {
  const std::string& op = node.op_type();
  const TensorValue x = value(node, 0);
  std::vector<Index> axes;
  if (op == "GlobalAveragePool") {
    axes = {2, 3};
  } else {
    const auto given = listed(node, "axes", constant(node, 1));
    for (std::size_t a = 0; a < x.extents.size(); ++a) axes.push_back(static_cast<Index>(a));
    if (given && !given->empty()) axes = *given;
  }
  Index each = 1;
  for (Index& axis : axes) {
    axis = static_cast<Index>(axis_in(axis, x.extents.size()));
    each *= x.extents[static_cast<std::size_t>(axis)];
  }
  const bool root = op == "ReduceL2";
  TensorValue made = builder_.mean(root ? builder_.multiply(x, x) : x, axes);
  if (op == "ReduceSum" || root)
    made = builder_.alike(TensorOp::kScale, made, {static_cast<double>(each)});
  if (root) made = builder_.alike(TensorOp::kSqrt, made);
  if (op != "GlobalAveragePool" && integer(node, "keepdims", 1) == 0) {
    Extents left;
    for (std::size_t a = 0; a < x.extents.size(); ++a)
      if (std::ranges::find(axes, static_cast<Index>(a)) == axes.end())
        left.push_back(x.extents[a]);
    made = builder_.reshape(made, std::move(left));
  }
  set(node, made);
}

void TensorReader::read_attention(const Node& node) {
  if (integer(node, "is_causal", 0) != 0 || real_number(node, "softcap", 0) != 0 ||
      node.input_size() > 4)
    refuse(node, "is an attention with a causal mask, a cap or a cache");
  const bool flat = value(node, 0).extents.size() == 3;
  const auto heads_of = [&](int input, const char* name) {
    const TensorValue x = value(node, input);
    if (!flat) return x;
    if (x.extents.size() != 3) refuse(node, "reads arrays of different ranks");
    const Index heads = integer(node, name, 0), width = x.extents[2];
    if (heads < 1 || width % heads != 0) refuse(node, "has heads that do not divide its width");
    return builder_.transpose(
        builder_.reshape(x, {x.extents[0], x.extents[1], heads, width / heads}), {0, 2, 1, 3});
  };
  const TensorValue q = heads_of(0, "q_num_heads"), k = heads_of(1, "kv_num_heads"),
                    v = heads_of(2, "kv_num_heads");
  if (q.extents.size() != 4 || k.extents.size() != 4 || v.extents.size() != 4 ||
      q.extents[1] != k.extents[1])
    refuse(node, "has other heads for its keys than for its queries");
  const double width = static_cast<double>(q.extents[3]);
  const TensorValue scaled = builder_.alike(TensorOp::kScale, builder_.plain(q),
                                            {real_number(node, "scale", 1 / std::sqrt(width))});
  TensorValue scores = builder_.matrices(scaled, builder_.transpose(k, {0, 1, 3, 2}));
  if (const ConstantArray* mask = constant(node, 3)) {
    // Truth values say what is seen.
    constexpr double kUnseen = -1e9;
    ConstantArray added = *mask;
    if (mask->whole)
      for (double& value : added.values) value = value != 0 ? 0 : kUnseen;
    if (std::ranges::any_of(added.values, [](double value) { return value != 0; }))
      scores = builder_.add(scores, added);
  } else if (node.input_size() > 3 && !node.input(3).empty()) {
    scores = builder_.add(scores, value(node, 3));
  }
  TensorValue made =
      builder_.matrices(builder_.alike(TensorOp::kSoftmax, builder_.plain(scores)), v);
  if (flat) {
    made = builder_.transpose(made, {0, 2, 1, 3});
    made = builder_.reshape(made,
                            {made.extents[0], made.extents[1], made.extents[2] * made.extents[3]});
  }
  set(node, made);
}

std::span<const TensorReader::Reader> TensorReader::readers() {
  static constexpr Reader kReaders[] = {
      {"Identity", &TensorReader::read_same},
      {"Dropout", &TensorReader::read_same},
      {"Cast", &TensorReader::read_same},
      {"Reshape", &TensorReader::read_shape},
      {"Squeeze", &TensorReader::read_shape},
      {"Unsqueeze", &TensorReader::read_shape},
      {"Flatten", &TensorReader::read_shape},
      {"Transpose", &TensorReader::read_transpose},
      {"Slice", &TensorReader::read_slice},
      {"Split", &TensorReader::read_split},
      {"Gather", &TensorReader::read_gather},
      {"Concat", &TensorReader::read_concat},
      {"Expand", &TensorReader::read_expand},
      {"Pad", &TensorReader::read_pad},
      {"Where", &TensorReader::read_where},
      {"Conv", &TensorReader::read_conv},
      {"MaxPool", &TensorReader::read_pool},
      {"AveragePool", &TensorReader::read_pool},
      {"BatchNormalization", &TensorReader::read_batch_norm},
      {"Gemm", &TensorReader::read_gemm},
      {"MatMul", &TensorReader::read_matmul},
      {"Add", &TensorReader::read_arithmetic},
      {"Sub", &TensorReader::read_arithmetic},
      {"Mul", &TensorReader::read_arithmetic},
      {"Div", &TensorReader::read_arithmetic},
      {"Pow", &TensorReader::read_arithmetic},
      {"Neg", &TensorReader::read_negative},
      {"LeakyRelu", &TensorReader::read_leaky},
      {"Clip", &TensorReader::read_clip},
      {"HardSigmoid", &TensorReader::read_hard_sigmoid},
      {"Gelu", &TensorReader::read_gelu},
      {"Swish", &TensorReader::read_silu},
      {"Softmax", &TensorReader::read_softmax},
      {"LayerNormalization", &TensorReader::read_layer_norm},
      {"ReduceMean", &TensorReader::read_reduction},
      {"ReduceSum", &TensorReader::read_reduction},
      {"ReduceL2", &TensorReader::read_reduction},
      {"GlobalAveragePool", &TensorReader::read_reduction},
      {"Attention", &TensorReader::read_attention},
  };
  return kReaders;
}

}  // namespace saccade

#include "vision/encoders/onnx/read_onnx.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include "core/base/error.h"
#include "vision/encoders/onnx/check_nodes.h"
#include "vision/encoders/onnx/dilate_model.h"
#include "vision/encoders/onnx/fuse_steps.h"
#include "vision/encoders/onnx/model_bytes.h"
#include "vision/encoders/onnx/onnx_model.h"

namespace saccade {

namespace {

using onnx_file::attribute;
using onnx_file::integer;
using onnx_file::integers;
using onnx_file::Node;
using onnx_file::shown;

onnx::ModelProto parse(std::span<const std::uint8_t> bytes, const std::string& file,
                       std::span<const std::string> layers, LastStage last_stage) {
  onnx::ModelProto model = onnx_file::parse(bytes, file);
  if (last_stage == LastStage::kDilated) dilate_last_stage(model, file, layers);
  return model;
}

struct Numbers {
  std::vector<Index> shape;
  std::vector<float> values;
};

class Reader {
 public:
  Reader(onnx::ModelProto model, const std::string& file)
      : file_(file),
        model_(std::move(model)),
        graph_(model_.graph()),
        tensors_(onnx_file::constants_of(graph_)),
        makers_(graph_, file_) {
    for (const onnx::ValueInfoProto& input : graph_.input()) inputs_.insert(input.name());
  }

  void read(std::span<const std::string> layers) {
    std::vector<std::string> wanted;
    for (const std::string& layer : layers) wanted.push_back(makers_.tensor_of(layer));
    const std::set<const Node*> nodes = makers_.needed(wanted);
    values_.emplace(onnx_file::image_of(graph_, nodes, file_), 0);
    onnx_file::check_nodes(graph_, nodes, file_);
    for (const Node& node : graph_.node())
      if (nodes.contains(&node) && node.op_type() != "Constant") read(node);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const auto found = values_.find(wanted[i]);
      if (found == values_.end() || found->second == 0)
        throw DataError(str(file_, ": nothing leads from the image to layer '", layers[i], "'"));
      out_.graph.outputs.push_back(found->second);
    }
    fuse_steps(out_, normalizations_);
  }

  std::vector<NativeNode> read_all() {
    std::vector<NativeNode> nodes;
    std::set<std::string> outputs;
    for (const onnx::ValueInfoProto& output : graph_.output()) outputs.insert(output.name());
    std::set<const Node*> all;
    for (const Node& node : graph_.node()) all.insert(&node);
    values_.emplace(onnx_file::image_of(graph_, all, file_), 0);
    const onnx_file::NodeCheck check = onnx_file::number_check(graph_, file_);
    for (const Node& node : graph_.node()) {
      const bool constant = node.op_type() == "Constant";
      NativeNode own{.name = shown(node), .type = node.op_type()};
      for (const std::string& output : node.output())
        if (output != own.name && outputs.contains(output)) own.outputs.push_back(output);
      try {
        check(node);
        if (!constant) read(node);
        if (const auto found = values_.find(node.output(0)); found != values_.end())
          own.value = found->second;
        if (!out_.weights.empty()) out_.weights.back() = {};
      } catch (const DataError&) {  // what it leads to has no steps either
        for (const std::string& output : node.output()) values_.erase(output);
      }
      if (!constant) nodes.push_back(std::move(own));
    }
    return nodes;
  }
  OnnxModel take() { return std::move(out_); }

 private:
  static double number(const Node& node, const char* name, double otherwise) {
    const onnx::AttributeProto* found = attribute(node, name);
    return found ? static_cast<double>(found->f()) : otherwise;
  }

  [[noreturn]] void refuse(const Node& node, const std::string& why) const {
    onnx_file::refuse_node(file_, node, why + "; choose a layer before it");
  }
  [[noreturn]] void damaged(const Node& node) const {
    throw DataError(str(file_, ": node '", shown(node), "' (", node.op_type(),
                        ") is damaged: it lacks inputs or their numbers do not fit"));
  }

  // The number of the value that a node reads as this input; the value must not be a constant.
  int value(const Node& node, int input) const {
    if (input >= node.input_size()) damaged(node);
    const auto found = values_.find(node.input(input));
    if (found != values_.end()) return found->second;
    if (tensors_.contains(node.input(input)))
      refuse(node, "works on a constant, which encoder.type onnx_native has no step for");
    if (inputs_.contains(node.input(input)))
      refuse(node,
             str("reads '", node.input(input), "', an input of the network beside its image"));
    damaged(node);
  }

  bool has_input(const Node& node, int input) const {
    return input < node.input_size() && !node.input(input).empty();
  }

  // The numbers of a constant input of a node.
  Numbers constant(const Node& node, int input, bool finite = true) const {
    if (!has_input(node, input)) damaged(node);
    const auto found = tensors_.find(node.input(input));
    if (found == tensors_.end()) refuse(node, "has weights that are computed");
    const onnx::TensorProto& tensor = *found->second;
    if (tensor.data_type() != onnx::TensorProto::FLOAT)
      refuse(node, "has weights that are not 32-bit floats");
    Numbers out{{tensor.dims().begin(), tensor.dims().end()}, {}};
    for (const Index extent : out.shape)
      if (extent < 1) damaged(node);
    out.values.assign(tensor.float_data().begin(), tensor.float_data().end());
    if (tensor.has_raw_data()) {  // check_nodes() has compared its size with the shape
      out.values.resize(tensor.raw_data().size() / sizeof(float));
      std::memcpy(out.values.data(), tensor.raw_data().data(), tensor.raw_data().size());
    }
    for (const float v : out.values)
      if (finite ? !std::isfinite(v) : std::isnan(v)) damaged(node);
    return out;
  }
  std::vector<float> vector_of(const Node& node, int input, Index count) const {
    Numbers numbers = constant(node, input);
    if (static_cast<Index>(numbers.values.size()) != count) damaged(node);
    return std::move(numbers.values);
  }

  double bound(const Node& node, int input) const {
    const Numbers numbers = constant(node, input, false);
    if (numbers.values.size() != 1) damaged(node);
    return static_cast<double>(numbers.values[0]);
  }

  OnnxStep& add(const Node& node, OnnxOp op, const std::vector<int>& inputs,
                OnnxWeights weights = {}) {
    OnnxStep step;
    step.op = op;
    step.inputs = inputs;
    step.name = onnx_file::plain_name(shown(node));
    for (int copy = 2; !names_.insert(step.name).second; ++copy)
      step.name = str(onnx_file::plain_name(shown(node)), "_", copy);
    out_.graph.steps.push_back(std::move(step));
    out_.weights.push_back(std::move(weights));
    normalizations_.push_back(node.op_type() == "BatchNormalization");
    values_[node.output(0)] = static_cast<int>(out_.graph.steps.size());
    return out_.graph.steps.back();
  }

  void read_window(const Node& node, OnnxStep& step) const {
    if (node.op_type() != "Conv") {
      const std::vector<Index> kernel = integers(node, "kernel_shape", {});
      if (kernel.size() != 2) refuse(node, "has a window that does not have two axes");
      step.kernel = {kernel[0], kernel[1]};
    }
    const std::vector<Index> strides = integers(node, "strides", {1, 1});
    if (strides.size() != 2 || strides[0] != strides[1] || strides[0] < 1)
      refuse(node, "strides differently along rows and columns");
    step.stride = strides[0];
    const std::vector<Index> dilations = integers(node, "dilations", {1, 1});
    if (dilations.size() != 2 || dilations[0] != dilations[1] || dilations[0] < 1)
      refuse(node, "is dilated differently along rows and columns");
    if (dilations[0] != 1 && node.op_type() != "Conv")
      refuse(node, "has dilations, which the pools of encoder.type onnx_native do not support");
    step.dilation = dilations[0];
    const std::string kind = onnx_file::auto_pad(node);
    const std::vector<Index> pads = integers(node, "pads", {0, 0, 0, 0});
    if (kind == "SAME_UPPER") step.padding = OnnxPadding::kSameUpper;
    if (kind == "SAME_LOWER") step.padding = OnnxPadding::kSameLower;
    if (kind != "NOTSET") return;
    if (pads.size() != 4) refuse(node, "has a window that does not have two axes");
    std::copy(pads.begin(), pads.end(), step.pads.begin());
    for (const Index pad : pads)
      if (pad < 0) refuse(node, "has negative pads");
  }

  void read_conv(const Node& node) {
    Numbers weight = constant(node, 1);
    const Index groups = integer(node, "group", 1);
    if (weight.shape.size() != 4) refuse(node, "has a window that does not have two axes");
    if (groups < 1 || weight.shape[0] % groups != 0) damaged(node);
    OnnxWeights weights{std::move(weight.values), {}};
    if (has_input(node, 2)) weights.bias = vector_of(node, 2, weight.shape[0]);
    OnnxStep& step = add(node, OnnxOp::kConv, {value(node, 0)}, std::move(weights));
    step.out = weight.shape[0];
    step.in = weight.shape[1];
    step.groups = groups;
    step.bias = has_input(node, 2);
    step.kernel = {weight.shape[2], weight.shape[3]};
    read_window(node, step);
  }

  // A normalisation as a depthwise convolution with one weight per channel.
  void read_normalization(const Node& node) {
    const auto channels = static_cast<Index>(constant(node, 1).values.size());
    const double epsilon = number(node, "epsilon", 1e-5);
    OnnxWeights weights{vector_of(node, 1, channels), vector_of(node, 2, channels)};
    const std::vector<float> mean = vector_of(node, 3, channels),
                             variance = vector_of(node, 4, channels);
    for (std::size_t c = 0; c < mean.size(); ++c) {
      const double factor = double{weights.weight[c]} / std::sqrt(double{variance[c]} + epsilon);
      if (!std::isfinite(factor)) damaged(node);
      weights.weight[c] = static_cast<float>(factor);
      weights.bias[c] = static_cast<float>(double{weights.bias[c]} - factor * double{mean[c]});
    }
    OnnxStep& step = add(node, OnnxOp::kConv, {value(node, 0)}, std::move(weights));
    step.out = step.groups = channels;
    step.in = 1;
    step.bias = true;
  }

  // The C of a product [M, out] for M images: one number per output, or one number for all of them.
  std::vector<float> read_bias(const Node& node, Index out) const {
    Numbers bias = constant(node, 2);
    const std::size_t rank = bias.shape.size();
    if (rank > 2) damaged(node);
    if (rank == 2 && bias.shape[0] != 1)
      refuse(node, str("adds other numbers to every row (its C is ", bias.shape[0], " x ",
                       bias.shape[1], "), and rows are images here"));
    if (rank > 0 && bias.shape.back() != 1 && bias.shape.back() != out) damaged(node);
    bias.values.resize(static_cast<std::size_t>(out), bias.values[0]);
    return std::move(bias.values);
  }

  void read_dense(const Node& node) {
    if (integer(node, "transA", 0) != 0) refuse(node, "transposes its input");
    Numbers weight = constant(node, 1);
    if (weight.shape.size() != 2) damaged(node);
    const bool transposed = integer(node, "transB", 0) != 0;  // [out, in], torch's layout
    const Index out = weight.shape[transposed ? 0 : 1], in = weight.shape[transposed ? 1 : 0];
    OnnxWeights weights;
    const auto alpha = static_cast<float>(number(node, "alpha", 1)),
               beta = static_cast<float>(number(node, "beta", 1));
    for (Index o = 0; o < out; ++o)
      for (Index i = 0; i < in; ++i)
        weights.weight.push_back(
            alpha * weight.values[static_cast<std::size_t>(transposed ? o * in + i : i * out + o)]);
    if (has_input(node, 2)) weights.bias = read_bias(node, out);
    for (float& bias : weights.bias) bias *= beta;
    OnnxStep& step = add(node, OnnxOp::kDense, {value(node, 0)}, std::move(weights));
    step.out = out;
    step.in = in;
    step.bias = has_input(node, 2);
  }

  void read_clip(const Node& node) {
    OnnxStep& step = add(node, OnnxOp::kClip, {value(node, 0)});
    step.lowest = number(node, "min", step.lowest);
    step.highest = number(node, "max", step.highest);
    if (has_input(node, 1)) step.lowest = bound(node, 1);
    if (has_input(node, 2)) step.highest = bound(node, 2);
    if (!(step.lowest <= step.highest)) damaged(node);
    // Infinite bounds become finite ones that never clip: the checkpoint keeps the graph as JSON,
    // which has no infinity.
    constexpr double kAll = std::numeric_limits<float>::max();
    step.lowest = std::clamp(step.lowest, -kAll, kAll);
    step.highest = std::clamp(step.highest, -kAll, kAll);
  }

  void read_pool(const Node& node, OnnxOp op) {
    const int input = value(node, 0);
    OnnxStep window;
    read_window(node, window);
    const bool pads =
        window.padding != OnnxPadding::kGiven ||
        std::any_of(window.pads.begin(), window.pads.end(), [](Index pad) { return pad != 0; });
    if (integer(node, "ceil_mode", 0) != 0) refuse(node, "rounds extents up (ceil_mode)");
    if (pads && integer(node, "count_include_pad", 0) != 0)
      refuse(node, "counts padding in its means (count_include_pad)");
    if (window.kernel[0] != window.kernel[1]) refuse(node, "has a window that is not square");
    OnnxStep& step = add(node, op, {input});
    step.kernel = window.kernel, step.stride = window.stride;
    step.padding = window.padding, step.pads = window.pads;
  }

  void read_several(const Node& node, OnnxOp op) {
    std::vector<int> inputs;
    for (int i = 0; i < node.input_size(); ++i) inputs.push_back(value(node, i));
    if (inputs.empty() || (op == OnnxOp::kAdd && inputs.size() != 2))
      refuse(node, str("has ", inputs.size(), " inputs"));
    add(node, op, inputs);
  }

  void read(const Node& node) {
    const std::string& op = node.op_type();
    if (node.output_size() == 0 || (node.input_size() == 0)) damaged(node);
    const auto plain_step = [&](OnnxOp kind) { add(node, kind, {value(node, 0)}); };
    if (op == "Identity" || op == "Dropout") {
      values_[node.output(0)] = value(node, 0);
    } else if (op == "Conv") {
      read_conv(node);
    } else if (op == "BatchNormalization") {
      read_normalization(node);
    } else if (op == "Gemm") {
      read_dense(node);
    } else if (op == "Clip") {
      read_clip(node);
    } else if (op == "Relu") {
      plain_step(OnnxOp::kRelu);
    } else if (op == "Sigmoid") {
      plain_step(OnnxOp::kSigmoid);
    } else if (op == "LeakyRelu") {
      const double slope = number(node, "alpha", 0.01);
      if (!(slope >= 0 && slope < 1))
        refuse(node, str("has a slope of ", slope, ", and slopes here are from 0 to below 1"));
      plain_step(OnnxOp::kLeakyRelu);
      out_.graph.steps.back().lowest = slope;
    } else if (op == "Add" || op == "Sum") {
      read_several(node, OnnxOp::kAdd);
    } else if (op == "Concat" && integer(node, "axis", 1) == 1) {
      read_several(node, OnnxOp::kConcat);
    } else if (op == "MaxPool") {
      read_pool(node, OnnxOp::kMaxPool);
    } else if (op == "AveragePool") {
      read_pool(node, OnnxOp::kAveragePool);
    } else if (op == "GlobalAveragePool") {
      plain_step(OnnxOp::kGlobalAveragePool);
    } else if (op == "Flatten" && integer(node, "axis", 1) == 1) {
      plain_step(OnnxOp::kFlatten);
    } else {
      refuse(node, "is none that encoder.type onnx_native can train");
    }
  }

  std::string file_;
  onnx::ModelProto model_;
  const onnx::GraphProto& graph_;
  std::map<std::string, const onnx::TensorProto*> tensors_;  // the constant ones, by name
  onnx_file::Makers makers_;
  std::set<std::string> inputs_;       // of the graph
  std::map<std::string, int> values_;  // the computed tensors; 0: the image
  std::set<std::string> names_;
  std::vector<bool> normalizations_;
  OnnxModel out_;
};

}  // namespace

OnnxModel read_onnx(const std::filesystem::path& file, std::span<const std::string> layers,
                    LastStage last_stage) {
  return read_onnx(read_model_bytes(file), file.string(), layers, last_stage);
}

OnnxModel read_onnx(std::span<const std::uint8_t> bytes, const std::string& file,
                    std::span<const std::string> layers, LastStage last_stage) {
  Reader reader(parse(bytes, file, layers, last_stage), file);
  reader.read(layers);
  return reader.take();
}

OnnxGraph read_all_steps(std::span<const std::uint8_t> bytes, const std::string& file,
                         std::vector<NativeNode>& nodes) {
  Reader reader(onnx_file::parse(bytes, file), file);
  nodes = reader.read_all();
  return reader.take().graph;
}

OnnxModel read_onnx(const std::filesystem::path& file, const std::string& layer) {
  return read_onnx(file, {&layer, 1}, LastStage::kStrided);
}

}  // namespace saccade

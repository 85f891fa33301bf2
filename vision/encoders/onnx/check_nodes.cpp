#include "vision/encoders/onnx/check_nodes.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>

#include "core/base/error.h"
#include "vision/encoders/onnx/onnx_model.h"

namespace saccade::onnx_file {

namespace {

using Attribute = onnx::AttributeProto;

constexpr const char* kDamaged = "; the file is damaged or of an unusual kind: export it again";
constexpr const char* kElse = "; choose a layer before it, or export the network in another form";

// The bounds of the numbers of an attribute, in whatever operator it is.
struct Rule {
  const char* name;
  double low, high;
  bool listed = false;  // several numbers, or else one
  int least = 0;        // how many, where they are listed
};
constexpr Index kMostWindow = 4096, kMostExtent = 1 << 20;
constexpr double kCells = 4096, kMany = 1 << 20, kAxes = 8;
constexpr Rule kRules[] = {
    {"kernel_shape", 1, kCells, true, 1},
    {"strides", 1, kCells, true, 1},
    {"dilations", 1, kCells, true, 1},
    {"pads", -kCells, kCells, true, 1},
    {"output_padding", 0, kCells, true},
    {"output_shape", 1, kCells * 8, true},
    {"group", 1, kMany},
    {"axis", -kAxes, kAxes - 1},
    {"axes", -kAxes, kAxes - 1, true},
    {"perm", 0, kAxes - 1, true},
    {"split", 1, kMany, true},
    {"blocksize", 1, 64},
    {"size", 1, 1024},
    {"shape", -1, 1 << 28, true},
    {"epsilon", 0, 1e6},
    {"alpha", -1e6, 1e6},
    {"beta", -1e6, 1e6},
    {"gamma", -1e6, 1e6},
    {"bias", -1e6, 1e6},
    {"lambd", -1e6, 1e6},
    {"ratio", 0, 1},
    {"momentum", 0, 1},
    {"scales", 1e-3, 64, true, 1},
    {"height_scale", 1e-3, 64},
    {"width_scale", 1e-3, 64},
};

const Rule* rule_of(const std::string& name) {
  const auto* found = std::find_if(std::begin(kRules), std::end(kRules),
                                   [&](const Rule& rule) { return name == rule.name; });
  return found == std::end(kRules) ? nullptr : found;
}

// All numbers of an attribute.
std::vector<Number> numbers_of(const Attribute& attribute) {
  std::vector<Number> numbers;
  if (attribute.has_i()) numbers.emplace_back(Index{attribute.i()});
  if (attribute.has_f()) numbers.emplace_back(static_cast<double>(attribute.f()));
  for (const Index i : attribute.ints()) numbers.emplace_back(i);
  for (const float f : attribute.floats()) numbers.emplace_back(static_cast<double>(f));
  return numbers;
}

// Why an input cannot be the image; "" where it can.
std::string no_image(const onnx::ValueInfoProto& input) {
  const auto& type = input.type().tensor_type();
  if (type.elem_type() != onnx::TensorProto::FLOAT) return "is not an array of 32-bit floats";
  if (!type.has_shape()) return "";
  if (type.shape().dim_size() != 4)
    return str("has ", type.shape().dim_size(), " axes instead of four");
  for (int axis = 0; axis < 4; ++axis) {
    const auto& extent = type.shape().dim(axis);
    if (!extent.has_dim_value() || extent.dim_value() == -1) continue;
    if (axis == 1 && extent.dim_value() != 3)
      return str("has an extent of ", extent.dim_value(), " where a picture has its 3 channels");
    if (extent.dim_value() < 1 || extent.dim_value() > 4096)
      return str("has an extent of ", extent.dim_value());
  }
  return "";
}

class Checker {
 public:
  Checker(const onnx::GraphProto& graph, const std::string& file)
      : file_(file), constants_(constants_of(graph)) {
    for (const onnx::TensorProto& tensor : graph.initializer()) known_.insert(tensor.name());
    for (const onnx::ValueInfoProto& input : graph.input()) known_.insert(input.name());
    if (graph.sparse_initializer_size() > 0)
      throw DataError(str(file_, ": has sparse weights; export it with dense ones"));
    constexpr int kMostNodes = 20'000;
    if (graph.node_size() > kMostNodes)
      throw DataError(str(file_, ": has ", graph.node_size(), " nodes, more than the ", kMostNodes,
                          " that a network may have here"));
  }

  void check(const Node& node) {
    if (node.output_size() == 0 || node.output(0).empty()) refuse(node, "computes nothing");
    for (const std::string& input : node.input()) {
      if (input.empty()) continue;  // left out
      if (!known_.contains(input))
        refuse(node, str("reads '", input, "', which is nowhere before it", kDamaged));
      if (const auto found = constants_.find(input); found != constants_.end())
        check_tensor(node, *found->second);
    }
    for (const std::string& output : node.output())
      if (!output.empty() && !known_.insert(output).second)
        refuse(node, str("computes '", output, "', which is there already", kDamaged));
    if (node.op_type() == "Constant") return;  // its array is checked where it is read
    std::set<std::string> names;
    for (const Attribute& attribute : node.attribute()) {
      if (!names.insert(attribute.name()).second)
        refuse(node, str("has ", attribute.name(), " twice", kDamaged));
      check_attribute(node, attribute);
    }
    check_window(node);
  }

 private:
  [[noreturn]] void refuse(const Node& node, const std::string& why) const {
    refuse_node(file_, node, why);
  }

  void check_tensor(const Node& node, const onnx::TensorProto& tensor) {
    if (!checked_.insert(&tensor).second) return;
    const std::string place = str(file_, ": array '", tensor.name(), "'");
    const Index count = count_of(tensor, place), each = number_bytes(tensor.data_type());
    if (each == 0 || tensor.has_segment() || tensor.dims_size() > kAxes)
      refuse(node, str("reads an array of a kind that is not known here", kDamaged));
    Index stored = static_cast<Index>(tensor.raw_data().size()), needed = count * each;
    if (!tensor.has_raw_data()) {
      needed = count;
      stored = tensor.float_data_size() + tensor.int32_data_size() + tensor.int64_data_size() +
               tensor.double_data_size() + tensor.uint64_data_size();
    }
    if (stored != needed)
      refuse(node, str("reads array '", tensor.name(), "', whose numbers do not fill its extents",
                       kDamaged));
    check_finite(node, tensor);
  }

  // Networks whose training ran away have such weights. A mask may hold infinite numbers.
  void check_finite(const Node& node, const onnx::TensorProto& tensor) const {
    if (tensor.data_type() != onnx::TensorProto::FLOAT) return;
    const std::string& op = node.op_type();
    const bool weighs = op.starts_with("Conv") || op == "Gemm" || op == "MatMul" ||
                        op.ends_with("Normalization") || op == "PRelu";
    const auto check = [&](float v) {
      if (std::isnan(v) || (weighs && std::isinf(v)))
        refuse(node, str("reads array '", tensor.name(),
                         "', which has a number that is not finite; no encoder can run that: "
                         "export a network whose weights are numbers"));
    };
    for (const float v : tensor.float_data()) check(v);
    const std::string& raw = tensor.raw_data();
    for (std::size_t i = 0; i + sizeof(float) <= raw.size(); i += sizeof(float)) {
      float v = 0;
      std::memcpy(&v, raw.data() + i, sizeof v);
      check(v);
    }
  }

  void check_attribute(const Node& node, const Attribute& attribute) const {
    const std::string& name = attribute.name();
    const std::vector<Number> numbers = numbers_of(attribute);
    const Rule* rule = rule_of(name);
    if (rule) {
      const int single = (attribute.has_i() ? 1 : 0) + (attribute.has_f() ? 1 : 0);
      const auto count = static_cast<int>(numbers.size());
      const bool fits = rule->listed ? single == 0 && count >= rule->least && count <= 64
                                     : single == 1 && count == 1;
      if (!fits) refuse(node, str("has ", name, " of another kind than its numbers are", kDamaged));
    }
    // Slices may begin and end anywhere, and clips may have no bound.
    const bool ends = name == "starts" || name == "ends" || name == "steps";
    const bool bounds = name == "min" || name == "max";
    const double most = ends ? 1e19 : bounds ? HUGE_VAL : 2147483647.0;
    const double low = rule ? rule->low : -most, high = rule ? rule->high : most;
    for (const Number& number : numbers)
      if (!number.within(low, high))
        refuse(node, str("has ", name, " ", number.text(), ", and only ", Number(low).text(),
                         " to ", Number(high).text(), " are supported here", kElse));
  }

  std::vector<Index> weight_extents(const Node& node) const {
    const bool has = node.op_type().starts_with("Conv") && node.input_size() > 1;
    const auto found = has ? constants_.find(node.input(1)) : constants_.end();
    if (found == constants_.end()) return {};
    return {found->second->dims().begin(), found->second->dims().end()};
  }

  // Windows of convolutions and pools.
  void check_window(const Node& node) const {
    const std::string& op = node.op_type();
    const bool conv = op == "Conv" || op == "ConvTranspose";
    if (!conv && op != "MaxPool" && op != "AveragePool" && op != "LpPool") return;
    std::vector<Index> kernel = integers(node, "kernel_shape", {});
    const std::vector<Index> weight = weight_extents(node);
    if (!weight.empty()) {
      if (weight.size() < 3) refuse(node, str("has weights without a window", kDamaged));
      const std::vector<Index> own(weight.begin() + 2, weight.end());
      for (const Index extent : weight)
        if (extent < 1 || extent > kMostExtent)
          refuse(node, str("has weights with an extent of ", extent, kDamaged));
      for (const Index extent : own)
        if (extent > kMostWindow)
          refuse(node, str("has a window of ", extent, " cells, more than the ", kMostWindow,
                           " supported here", kElse));
      if (!kernel.empty() && kernel != own)
        refuse(node, str("has a kernel_shape that is not that of its weights", kDamaged));
      kernel = own;
      const Index groups = integer(node, "group", 1);
      if (weight[0] % groups != 0)
        refuse(node, str("has ", groups, " groups, which do not divide its ", weight[0],
                         " channels", kDamaged));
    }
    if (kernel.empty()) {
      if (!conv) refuse(node, str("has no kernel_shape", kDamaged));
      return;  // of a convolution whose weights are computed
    }
    const std::size_t axes = kernel.size();
    const std::vector<Index> ones(axes, 1), none(2 * axes, 0);
    const std::vector<Index> strides = integers(node, "strides", ones),
                             dilations = integers(node, "dilations", ones),
                             pads = integers(node, "pads", none);
    if (strides.size() != axes || dilations.size() != axes || pads.size() != 2 * axes)
      refuse(node, str("has strides, dilations or pads that are not of the ", axes,
                       " axes of its window", kDamaged));
    for (std::size_t i = 0; i < pads.size(); ++i) {
      const std::size_t axis = i % axes;
      if (pads[i] < 0) refuse(node, str("has negative pads, which are not supported here", kElse));
      if (!conv && pads[i] > (kernel[axis] - 1) * dilations[axis])
        refuse(node, str("pads by a whole window, which is not supported here", kElse));
    }
  }

  std::string file_;
  std::map<std::string, const onnx::TensorProto*> constants_;
  std::set<std::string> known_;  // tensors that are there so far
  std::set<const onnx::TensorProto*> checked_;
};

}  // namespace

void refuse_node(const std::string& file, const Node& node, const std::string& why) {
  throw DataError(str(file, ": operator ", one_line(node.op_type()), " of node '",
                      one_line(shown(node)), "' ", one_line(why)));
}

std::string image_of(const onnx::GraphProto& graph, const std::set<const Node*>& nodes,
                     const std::string& file) {
  const std::map<std::string, const onnx::TensorProto*> constants = constants_of(graph);
  std::set<std::string> read;
  for (const Node* node : nodes) read.insert(node->input().begin(), node->input().end());
  std::vector<const onnx::ValueInfoProto*> inputs, images;
  for (const onnx::ValueInfoProto& input : graph.input()) {
    if (!read.contains(input.name()) || constants.contains(input.name())) continue;
    inputs.push_back(&input);
    if (no_image(input).empty()) images.push_back(&input);
  }
  if (images.size() == 1) return images[0]->name();
  if (inputs.size() == 1)
    throw DataError(str(file, ": its input '", one_line(inputs[0]->name()), "' ",
                        no_image(*inputs[0]),
                        "; an encoder takes images [n, 3, rows, columns] of 32-bit floats"));
  if (inputs.empty())
    throw DataError(file +
                    ": no input of the network leads to what is read of it (an input that only "
                    "branches such as those of If read does not count); choose another layer, or "
                    "export the network without branches");
  throw DataError(str(file, ": takes ", inputs.size(), " inputs; an encoder takes one image"));
}

NodeCheck number_check(const onnx::GraphProto& graph, const std::string& file) {
  return [checker = std::make_shared<Checker>(graph, file)](const Node& node) {
    checker->check(node);
  };
}

void check_nodes(const onnx::GraphProto& graph, const std::set<const Node*>& nodes,
                 const std::string& file) {
  const NodeCheck check = number_check(graph, file);
  for (const Node& node : graph.node())
    if (nodes.contains(&node)) check(node);
}

}  // namespace saccade::onnx_file

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>
#include <type_traits>

#include "core/base/error.h"
#include "vision/encoders/onnx/check_nodes.h"
#include "vision/encoders/onnx/onnx_model.h"

namespace saccade::onnx_file {

namespace {

// What becomes of an operator's inputs, as far as it is followed here.
enum class Kind {
  kWindow,      // a convolution or a pool: reads an image and constant weights
  kNorm,        // a factor per channel, or a few
  kProduct,     // a product with a matrix
  kPointwise,   // as many numbers as it is given, per input
  kJoint,       // several inputs, number by number
  kConcat,      // side by side
  kRearranged,  // the numbers that it is given, or some of them, in other extents
  kReduced,     // fewer numbers
  kSized,       // as many numbers as other numbers say
  kShape,       // extents
  kConstant
};

struct Operator {
  const char* name;
  Kind kind;
  int least, most;  // the number of its inputs
};
constexpr int kMostInputs = 120;
constexpr Operator kOperators[] = {
    {"Conv", Kind::kWindow, 2, 3},
    {"ConvTranspose", Kind::kWindow, 2, 3},
    {"MaxPool", Kind::kWindow, 1, 1},
    {"AveragePool", Kind::kWindow, 1, 1},
    {"GlobalAveragePool", Kind::kWindow, 1, 1},
    {"GlobalMaxPool", Kind::kWindow, 1, 1},
    {"LRN", Kind::kWindow, 1, 1},
    {"BatchNormalization", Kind::kNorm, 5, 5},
    {"InstanceNormalization", Kind::kNorm, 3, 3},
    {"PRelu", Kind::kNorm, 2, 2},
    {"Gemm", Kind::kProduct, 2, 3},
    {"MatMul", Kind::kProduct, 2, 2},
    {"Clip", Kind::kPointwise, 1, 3},
    {"Dropout", Kind::kPointwise, 1, 3},
    {"Add", Kind::kJoint, 2, 2},
    {"Div", Kind::kJoint, 2, 2},
    {"Max", Kind::kJoint, 1, 8},
    {"Min", Kind::kJoint, 1, 8},
    {"Mul", Kind::kJoint, 2, 2},
    {"Pow", Kind::kJoint, 2, 2},
    {"Sub", Kind::kJoint, 2, 2},
    {"Sum", Kind::kJoint, 1, 8},
    {"Concat", Kind::kConcat, 1, kMostInputs},
    {"DepthToSpace", Kind::kRearranged, 1, 1},
    {"Flatten", Kind::kRearranged, 1, 1},
    {"Gather", Kind::kRearranged, 2, 2},
    {"Reshape", Kind::kRearranged, 1, 2},
    {"Slice", Kind::kRearranged, 1, 5},
    {"SpaceToDepth", Kind::kRearranged, 1, 1},
    {"Split", Kind::kRearranged, 1, 2},
    {"Squeeze", Kind::kRearranged, 1, 2},
    {"Transpose", Kind::kRearranged, 1, 1},
    {"Unsqueeze", Kind::kRearranged, 1, 2},
    {"ReduceL1", Kind::kReduced, 1, 1},
    {"ReduceL2", Kind::kReduced, 1, 1},
    {"ReduceMax", Kind::kReduced, 1, 1},
    {"ReduceMean", Kind::kReduced, 1, 1},
    {"ReduceMin", Kind::kReduced, 1, 1},
    {"ReduceSum", Kind::kReduced, 1, 2},
    {"Pad", Kind::kSized, 1, 3},
    {"Resize", Kind::kSized, 1, 4},
    {"Upsample", Kind::kSized, 1, 2},
    {"ConstantOfShape", Kind::kSized, 1, 1},
    {"Expand", Kind::kSized, 2, 2},
    {"Shape", Kind::kShape, 1, 1},
    {"Constant", Kind::kConstant, 0, 0},
};

// Those with one input and one number for each of its numbers.
constexpr std::string_view kPointwise[] = {
    "Abs",       "Cast",     "Ceil",       "Celu",        "Cos",       "Elu",
    "Erf",       "Exp",      "Floor",      "HardSigmoid", "HardSwish", "Identity",
    "LeakyRelu", "Log",      "LogSoftmax", "Mish",        "Neg",       "Reciprocal",
    "Relu",      "Round",    "Selu",       "Sigmoid",     "Sign",      "Sin",
    "Softmax",   "Softplus", "Softsign",   "Sqrt",        "Tanh",      "ThresholdedRelu"};

std::optional<Operator> operator_of(const Node& node) {
  const std::string& name = node.op_type();
  if (!node.domain().empty() && node.domain() != "ai.onnx") return std::nullopt;
  for (const Operator& op : kOperators)
    if (name == op.name) return op;
  const auto* found = std::find(std::begin(kPointwise), std::end(kPointwise), name);
  if (found == std::end(kPointwise)) return std::nullopt;
  return Operator{found->data(), Kind::kPointwise, 1, 1};
}

// Inputs that are numbers about the others: their bounds, and that of their product, where they
// are extents.
struct Parameter {
  const char* op;
  int input;
  double low, high, product;
};
constexpr double kAny = 1e19, kNumbers = 1 << 26, kNoProduct = HUGE_VAL;
constexpr Parameter kParameters[] = {
    {"Reshape", 1, -1, 1 << 28, kNoProduct},
    {"Slice", 1, -kAny, kAny, kNoProduct},
    {"Slice", 2, -kAny, kAny, kNoProduct},
    {"Slice", 3, -8, 7, kNoProduct},
    {"Slice", 4, 1, 4096, kNoProduct},
    {"Split", 1, 1, 1 << 20, kNoProduct},
    {"Squeeze", 1, -8, 7, kNoProduct},
    {"Unsqueeze", 1, -8, 7, kNoProduct},
    {"ReduceSum", 1, -8, 7, kNoProduct},
    {"Gather", 1, -(1 << 24), 1 << 24, kNoProduct},
    {"Pad", 1, 0, 4096, kNoProduct},
    {"Resize", 2, 1e-3, 64, kNoProduct},
    {"Resize", 3, 1, 1 << 15, kNumbers},
    {"Upsample", 1, 1e-3, 64, kNoProduct},
    {"ConstantOfShape", 0, 0, 1 << 15, kNumbers},
    {"Expand", 1, 1, 1 << 15, kNumbers},
};

// The numbers of a constant array whose bytes fit its extents.
std::vector<Number> values_of(const onnx::TensorProto& tensor) {
  std::vector<Number> numbers;
  const auto read = [&]<class T>(T, const auto& listed) {
    using Kept = std::conditional_t<std::is_floating_point_v<T>, double, Index>;
    for (const auto value : listed) numbers.emplace_back(static_cast<Kept>(value));
    for (std::size_t at = 0; at + sizeof(T) <= tensor.raw_data().size(); at += sizeof(T)) {
      T value;
      std::memcpy(&value, tensor.raw_data().data() + at, sizeof value);
      numbers.emplace_back(static_cast<Kept>(value));
    }
  };
  switch (tensor.data_type()) {
    case onnx::TensorProto::FLOAT:
      read(float{}, tensor.float_data());
      break;
    case onnx::TensorProto::DOUBLE:
      read(double{}, tensor.double_data());
      break;
    case onnx::TensorProto::INT32:
      read(std::int32_t{}, tensor.int32_data());
      break;
    case onnx::TensorProto::INT64:
      read(std::int64_t{}, tensor.int64_data());
      break;
    default:
      numbers.emplace_back(std::nan(""));
  }
  return numbers;
}

// What is known of a tensor before anything runs.
struct Known {
  bool constant = false;
  double numbers = 0;  // of a constant: how many there are at most
  Index channels = 0;  // of an image [n, channels, rows, columns]; 0: not known
};

class Operators {
 public:
  Operators(const onnx::GraphProto& graph, const std::set<const Node*>& nodes,
            const std::string& file)
      : file_(file), arrays_(constants_of(graph)) {
    for (const auto& [name, tensor] : arrays_)
      known_[name] = {.constant = true, .numbers = count(*tensor)};
    known_[image_of(graph, nodes, file)] = {.channels = 3};
  }

  void check(const Node& node) {
    const std::optional<Operator> op = operator_of(node);
    if (!op) refuse(node, str("is none that encoder.type onnx can run", kBefore));
    if (op->kind == Kind::kConstant) {
      if (!arrays_.contains(node.output(0)))
        refuse(node, str("has a value of a form that encoder.type onnx does not know", kBefore));
      return;
    }
    for (int i = 0; i < std::max(op->least, std::min(node.input_size(), op->most)); ++i)
      if (const bool all = op->kind == Kind::kJoint || op->kind == Kind::kConcat;
          i >= node.input_size() || ((all || i < op->least) && node.input(i).empty()))
        refuse(node, str("lacks inputs", kDamaged));
    if (node.input_size() > op->most)
      refuse(node, str("has ", node.input_size(), " inputs, more than the ", op->most,
                       " that it may have here", kBefore));
    for (const std::string& input : node.input())
      if (!input.empty() && !known_.contains(input))
        refuse(node, str("reads '", input, "', an input of the network beside its image", kBefore));
    check_parameters(node);
    known_[node.output(0)] = after(node, op->kind);
    for (int i = 1; i < node.output_size(); ++i) known_[node.output(i)] = known_[node.output(0)];
  }

 private:
  static constexpr const char* kBefore = "; choose a layer before it";
  static constexpr const char* kDamaged = "; the file is damaged: export it again";

  [[noreturn]] void refuse(const Node& node, const std::string& why) const {
    refuse_node(file_, node, why);
  }
  double count(const onnx::TensorProto& tensor) const {
    return static_cast<double>(count_of(tensor, str(file_, ": array '", tensor.name(), "'")));
  }

  const Known& input(const Node& node, int i) const { return known_.at(node.input(i)); }
  bool has(const Node& node, int i) const {
    return i < node.input_size() && !node.input(i).empty();
  }
  // Null where the input is computed or left out.
  const onnx::TensorProto* array(const Node& node, int i) const {
    const auto found = has(node, i) ? arrays_.find(node.input(i)) : arrays_.end();
    return found == arrays_.end() ? nullptr : found->second;
  }

  void check_parameters(const Node& node) const {
    for (const Parameter& rule : kParameters) {
      if (node.op_type() != rule.op || !has(node, rule.input)) continue;
      const onnx::TensorProto* tensor = array(node, rule.input);
      if (!tensor && rule.product != kNoProduct && node.op_type() != "Resize")
        refuse(node, str("computes how large it is", kBefore));
      if (!tensor) continue;
      double product = 1;
      for (const Number& number : values_of(*tensor)) {
        product *= number.value();
        if (!number.within(rule.low, rule.high))
          refuse(node, str("reads ", number.text(), " in '", tensor->name(), "', and only ",
                           Number(rule.low).text(), " to ", Number(rule.high).text(),
                           " are supported here", kBefore));
        if (product > rule.product)
          refuse(node,
                 str("reads extents in '", tensor->name(), "' of more than ",
                     Number(rule.product).text(), " numbers, the most supported here", kBefore));
      }
    }
  }

  // The weights of a node: a constant array of floats with this number of axes (0: any).
  const onnx::TensorProto& weights(const Node& node, int i, int axes) const {
    const onnx::TensorProto* tensor = array(node, i);
    if (!tensor) refuse(node, str("has weights that are computed", kBefore));
    if (tensor->data_type() != onnx::TensorProto::FLOAT)
      refuse(node, "has weights that are not 32-bit floats; export the network in 32 bits");
    if (axes > 0 && tensor->dims_size() != axes)
      refuse(node, str("has weights of ", tensor->dims_size(), " axes instead of ", axes, kBefore));
    for (const Index extent : tensor->dims())
      if (extent < 1) refuse(node, str("has weights with an extent of ", extent, kDamaged));
    return *tensor;
  }
  void check_channels(const Node& node, Index wanted) const {
    const Index given = input(node, 0).channels;
    if (given != 0 && given != wanted)
      refuse(node, str("has weights for ", wanted, " channels and gets ", given, kDamaged));
  }
  void check_count(const Node& node, int i, Index wanted) const {
    if (has(node, i) && count(weights(node, i, 0)) != static_cast<double>(wanted))
      refuse(node, str("has ", Number(count(weights(node, i, 0))).text(), " numbers in '",
                       node.input(i), "' for ", wanted, " channels", kDamaged));
  }

  Known window(const Node& node) const {
    const Known& in = input(node, 0);
    if (in.constant) refuse(node, str("works on a constant", kBefore));
    if (integers(node, "kernel_shape", {1, 1}).size() != 2)
      refuse(node, str("has a window that does not have two axes", kBefore));
    if (!node.op_type().starts_with("Conv")) return in;
    const onnx::TensorProto& weight = weights(node, 1, 4);
    const bool transposed = node.op_type() == "ConvTranspose";
    const Index groups = integer(node, "group", 1);
    check_channels(node, transposed ? weight.dims(0) : weight.dims(1) * groups);
    const Index out = transposed ? weight.dims(1) * groups : weight.dims(0);
    check_count(node, 2, out);
    return {.channels = out};
  }

  Known norm(const Node& node) const {
    const Known& in = input(node, 0);
    if (in.constant || in.channels == 0)
      refuse(node, str("works on what has no known number of channels", kBefore));
    for (int i = 1; i < node.input_size(); ++i)
      if (node.op_type() != "PRelu" || count(weights(node, i, 0)) != 1)
        check_count(node, i, in.channels);
    return in;
  }

  Known product(const Node& node) const {
    if (input(node, 0).constant && input(node, 1).constant)
      refuse(node, str("works on constants", kBefore));
    if (node.op_type() == "MatMul") {
      if (array(node, 1)) weights(node, 1, 0);
      return {};
    }
    const onnx::TensorProto& matrix = weights(node, 1, 2);
    const Index out = matrix.dims(integer(node, "transB", 0) != 0 ? 0 : 1);
    if (has(node, 2) && count(weights(node, 2, 0)) != 1) check_count(node, 2, out);
    return {.channels = out};
  }

  // Numbers by numbers, where an input with one channel goes with each channel of the others.
  Known joint(const Node& node) const {
    Known out{.constant = true, .numbers = 1};
    bool known = true;
    for (const std::string& name : node.input()) {
      const Known& in = known_.at(name);
      out.constant = out.constant && in.constant;
      const bool equal = in.numbers == out.numbers;
      out.numbers = equal ? in.numbers : std::max(in.numbers, 1.0) * std::max(out.numbers, 1.0);
      if (in.constant) continue;
      known = known && in.channels != 0 &&
              (out.channels == 0 || out.channels == in.channels || out.channels == 1 ||
               in.channels == 1);
      out.channels = std::max(out.channels, in.channels);
    }
    for (int i = 0; i < node.input_size(); ++i)  // a constant may have more channels
      if (const onnx::TensorProto* tensor = array(node, i))
        known = known && (out.channels != 1 || count(*tensor) == 1);
    if (!known) out.channels = 0;
    if (!out.constant) out.numbers = 0;
    return out;
  }

  Known concat(const Node& node) const {
    Known out{.constant = true};
    const Index axis = integer(node, "axis", 1);
    const bool stacked = axis == 1;
    bool known = axis >= 0;  // from the end, it is another axis for images than for rows
    for (const std::string& name : node.input()) {
      const Known& in = known_.at(name);
      out.constant = out.constant && in.constant;
      out.numbers += in.numbers;
      known = known && !in.constant && in.channels != 0;
      out.channels = stacked ? out.channels + in.channels : in.channels;
    }
    if (!known) out.channels = 0;
    if (!out.constant) out.numbers = 0;
    return out;
  }

  // What all constants together may become.
  Known after(const Node& node, Kind kind) const {
    Known out = known_of(node, kind);
    if (out.constant && out.numbers > kNumbers)
      refuse(node, str("makes more constants than a network may have here", kBefore));
    constexpr Index kMostChannels = 1 << 20;
    if (out.channels > kMostChannels)
      refuse(node, str("makes ", out.channels, " channels, more than ", kMostChannels, kBefore));
    return out;
  }

  Known known_of(const Node& node, Kind kind) const {
    switch (kind) {
      case Kind::kWindow:
        return window(node);
      case Kind::kNorm:
        return norm(node);
      case Kind::kProduct:
        return product(node);
      case Kind::kPointwise:
        return input(node, 0);
      case Kind::kJoint:
        return joint(node);
      case Kind::kConcat:
        return concat(node);
      case Kind::kRearranged: {
        const double times = node.op_type() == "Gather" ? std::max(1.0, input(node, 1).numbers) : 1;
        return {.constant = input(node, 0).constant, .numbers = input(node, 0).numbers * times};
      }
      case Kind::kReduced:
        return {.constant = input(node, 0).constant, .numbers = input(node, 0).numbers};
      case Kind::kSized: {
        const bool resized = node.op_type() == "Resize" || node.op_type() == "Upsample";
        Known out = input(node, 0);
        if (out.constant && node.op_type() != "ConstantOfShape" && node.op_type() != "Expand")
          refuse(node, str("works on a constant", kBefore));
        if (node.op_type() == "ConstantOfShape" || node.op_type() == "Expand")
          out.numbers = extents_product(node);
        if (!resized) out.channels = 0;
        return out;
      }
      case Kind::kShape:
        return {.constant = true, .numbers = kMostAxes};
      case Kind::kConstant:
        break;
    }
    return {};
  }

  double extents_product(const Node& node) const {
    const bool expand = node.op_type() == "Expand";
    double product = expand ? std::max(1.0, input(node, 0).numbers) : 1;
    if (const onnx::TensorProto* tensor = array(node, expand ? 1 : 0))
      for (const Number& number : values_of(*tensor)) product *= std::max(1.0, number.value());
    return product;
  }

  static constexpr double kMostAxes = 8;
  std::string file_;
  std::map<std::string, const onnx::TensorProto*> arrays_;
  std::map<std::string, Known> known_;
};

}  // namespace

NodeCheck operator_check(const onnx::GraphProto& graph, const std::set<const Node*>& nodes,
                         const std::string& file) {
  return [checker = std::make_shared<Operators>(graph, nodes, file)](const Node& node) {
    checker->check(node);
  };
}

}  // namespace saccade::onnx_file

#include "vision/encoders/onnx/model_bytes.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>

#include "core/base/digest.h"
#include "core/base/error.h"
#include "vision/encoders/onnx/check_nodes.h"
#include "vision/encoders/onnx/onnx_model.h"
#include "vision/encoders/onnx/outside_weights.h"
#include "vision/images/file_bytes.h"

namespace saccade {

using onnx_file::Node;

std::vector<std::uint8_t> read_model_bytes(const std::filesystem::path& file) {
  std::vector<std::uint8_t> bytes =
      read_file_bytes(file, {.noun = "ONNX model", .max_bytes = onnx_file::kMaxBytes});
  onnx::ModelProto model = onnx_file::parse_alone(bytes, file.string());
  if (!onnx_file::take_outside_weights(model, file)) return bytes;
  return onnx_file::bytes_of(model, file.string());
}

Index stated_picture_side(const std::filesystem::path& file) {
  const std::vector<std::uint8_t> bytes =
      read_file_bytes(file, {.noun = "ONNX model", .max_bytes = onnx_file::kMaxBytes});
  const onnx::ModelProto model = onnx_file::parse_alone(bytes, file.string());
  for (const onnx::ValueInfoProto& input : model.graph().input()) {
    const auto& shape = input.type().tensor_type().shape();
    if (shape.dim_size() != 4 || shape.dim(1).dim_value() != 3) continue;
    const Index rows = shape.dim(2).dim_value(), cols = shape.dim(3).dim_value();
    return rows == cols ? std::max<Index>(rows, 0) : 0;
  }
  return 0;
}

namespace {

using Constants = std::map<std::string, const onnx::TensorProto*>;

// The number of a constant; empty where it is none, or not one 32-bit float.
std::optional<float> number_of(const Constants& constants, const std::string& name) {
  const auto found = constants.find(name);
  if (found == constants.end() || found->second->data_type() != onnx::TensorProto::FLOAT)
    return std::nullopt;
  const onnx::TensorProto& tensor = *found->second;
  float number = 0;
  if (tensor.float_data_size() == 1) return tensor.float_data(0);
  if (tensor.raw_data().size() != sizeof number) return std::nullopt;
  std::memcpy(&number, tensor.raw_data().data(), sizeof number);
  return number;
}

// Bounds of a Clip that are inputs, since opset 11, become attributes, which they were before: no
// others are read by OpenCV.
void state_bounds(Node& clip, const Constants& constants) {
  std::vector<std::pair<const char*, float>> bounds;
  for (int input = 1; input < clip.input_size(); ++input) {
    if (clip.input(input).empty()) continue;
    const std::optional<float> bound = number_of(constants, clip.input(input));
    if (!bound || std::isnan(*bound)) return;
    bounds.emplace_back(input == 1 ? "min" : "max", *bound);
  }
  clip.mutable_input()->DeleteSubrange(1, clip.input_size() - 1);
  for (const auto& [name, bound] : bounds) {
    onnx::AttributeProto& attribute = *clip.add_attribute();
    attribute.set_name(name);
    attribute.set_type(onnx::AttributeProto::FLOAT);
    attribute.set_f(bound);
  }
}

// Adds what ONNX lets a file leave out and OpenCV asks for: the extents of an image and of outputs,
// of which rows and columns may stay unknown, the window of a convolution, which that of its
// weights is, and the second bound of a Clip.
void state_all(onnx::GraphProto& graph) {
  for (onnx::ValueInfoProto& output : *graph.mutable_output())
    output.mutable_type()->mutable_tensor_type()->mutable_shape();
  for (onnx::ValueInfoProto& input : *graph.mutable_input()) {
    auto& type = *input.mutable_type()->mutable_tensor_type();
    while (type.shape().dim_size() < 4) type.mutable_shape()->add_dim();
    for (int axis = 0; axis < 4; ++axis) {
      auto& extent = *type.mutable_shape()->mutable_dim(axis);
      if (extent.has_dim_value() && extent.dim_value() > 0) continue;
      extent.clear_value();
      if (axis < 2) extent.set_dim_value(axis == 0 ? 1 : 3);
    }
  }
  const Constants constants = onnx_file::constants_of(graph);
  for (Node& node : *graph.mutable_node()) {
    if (node.op_type() == "Clip" && node.input_size() > 1) state_bounds(node, constants);
    const bool convolves = node.op_type() == "Conv" || node.op_type() == "ConvTranspose";
    if (!convolves || node.input_size() < 2 || onnx_file::attribute(node, "kernel_shape")) continue;
    const auto weights = constants.find(node.input(1));
    if (weights == constants.end()) continue;
    onnx::AttributeProto& window = *node.add_attribute();
    window.set_name("kernel_shape");
    window.set_type(onnx::AttributeProto::INTS);
    for (int axis = 2; axis < weights->second->dims_size(); ++axis)
      window.add_ints(weights->second->dims(axis));
  }
}

}  // namespace

struct ModelParts::Impl {
  std::string file;
  onnx::ModelProto model;
  std::vector<int> places;  // of the nodes in the graph
  std::vector<ModelNode> nodes{};

  const Node& node(std::size_t i) const { return model.graph().node(places[i]); }
  void describe(const std::set<const Node*>& wanted);
  void check(const std::set<const Node*>& wanted);
};

void ModelParts::Impl::describe(const std::set<const Node*>& wanted) {
  constexpr std::size_t kMost = 20'000;
  if (wanted.size() > kMost)
    throw DataError(str(file, ": has ", wanted.size(), " nodes, more than the ", kMost,
                        " that a network may have here"));
  std::map<std::string, std::size_t> makers;
  for (int i = 0; i < model.graph().node_size(); ++i) {
    const Node& node = model.graph().node(i);
    if (!wanted.contains(&node)) continue;
    ModelNode& own = nodes.emplace_back(
        ModelNode{.name = onnx_file::shown(node), .type = node.op_type(), .reads = {}});
    for (const std::string& input : node.input())
      if (const auto found = makers.find(input); found != makers.end())
        own.reads.push_back(found->second);
    for (const std::string& output : node.output()) makers[output] = places.size();
    places.push_back(i);
  }
}

void ModelParts::Impl::check(const std::set<const Node*>& wanted) {
  try {
    const onnx_file::NodeCheck numbers = onnx_file::number_check(model.graph(), file),
                               operators = onnx_file::operator_check(model.graph(), wanted, file);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      for (const std::size_t read : nodes[i].reads)
        if (nodes[i].refusal.empty()) nodes[i].refusal = nodes[read].refusal;
      if (!nodes[i].refusal.empty()) continue;
      try {
        numbers(node(i));
        operators(node(i));
      } catch (const DataError& error) {
        nodes[i].refusal = error.what();
      }
    }
  } catch (const DataError& error) {  // of the whole graph
    for (ModelNode& node : nodes) node.refusal = error.what();
  }
}

ModelParts::ModelParts(std::span<const std::uint8_t> model, const std::string& file,
                       std::span<const std::string> layers)
    : impl_(std::make_unique<Impl>(
          Impl{.file = file, .model = onnx_file::parse(model, file), .places = {}})) {
  const onnx_file::Makers makers(impl_->model.graph(), file);
  const std::set<const Node*> wanted = makers.needed_for(layers);
  impl_->describe(wanted);
  impl_->check(wanted);
}

ModelParts::ModelParts(std::span<const std::uint8_t> model, const std::string& file)
    : impl_(std::make_unique<Impl>(
          Impl{.file = file, .model = onnx_file::parse(model, file), .places = {}})) {
  std::set<const Node*> wanted;
  for (const Node& node : impl_->model.graph().node()) wanted.insert(&node);
  impl_->describe(wanted);
  impl_->check(wanted);
}

ModelParts::~ModelParts() = default;

std::span<const ModelNode> ModelParts::nodes() const { return impl_->nodes; }

std::vector<std::pair<std::string, std::size_t>> ModelParts::outputs() const {
  std::vector<std::pair<std::string, std::size_t>> outputs;
  for (const onnx::ValueInfoProto& output : impl_->model.graph().output())
    for (std::size_t i = 0; i < impl_->places.size(); ++i) {
      const auto& own = impl_->node(i).output();
      if (std::find(own.begin(), own.end(), output.name()) != own.end() &&
          output.name() != impl_->nodes[i].name)
        outputs.emplace_back(output.name(), i);
    }
  return outputs;
}

std::vector<std::uint8_t> ModelParts::bytes(const std::vector<bool>& wanted) const {
  onnx::ModelProto model;
  model.set_ir_version(impl_->model.ir_version());
  model.set_producer_name(impl_->model.producer_name());
  *model.mutable_opset_import() = impl_->model.opset_import();
  *model.mutable_graph() = impl_->model.graph();
  std::set<const Node*> nodes;
  for (std::size_t i = 0; i < wanted.size(); ++i)
    if (wanted[i]) nodes.insert(&model.graph().node(impl_->places[i]));
  onnx_file::cut(*model.mutable_graph(), nodes);
  state_all(*model.mutable_graph());
  return onnx_file::bytes_of(model, impl_->file);
}

std::vector<std::uint8_t> ModelParts::bytes() const {
  for (const ModelNode& node : impl_->nodes)
    if (!node.refusal.empty()) throw DataError(node.refusal);
  return bytes(std::vector<bool>(impl_->nodes.size(), true));
}

std::string content_digest(std::span<const std::uint8_t> bytes, const std::string& file,
                           std::span<const std::string> layers) {
  onnx::ModelProto parsed = onnx_file::parse(bytes, file);
  onnx_file::cut(*parsed.mutable_graph(), file, layers);
  onnx::ModelProto model;  // without what does not change what is computed
  *model.mutable_opset_import() = parsed.opset_import();
  model.mutable_graph()->Swap(parsed.mutable_graph());
  model.mutable_graph()->clear_name();
  model.mutable_graph()->clear_doc_string();
  Digest digest;
  for (onnx::TensorProto* tensor : onnx_file::tensors_of(*model.mutable_graph())) {
    tensor->clear_doc_string();
    if (tensor->data_type() != onnx::TensorProto::FLOAT) continue;
    // In a checkpoint, numbers lie in the one field of an array that has two for them.
    const std::string raw(reinterpret_cast<const char*>(tensor->float_data().data()),
                          static_cast<std::size_t>(tensor->float_data_size()) * sizeof(float));
    digest.add(tensor->has_raw_data() ? tensor->raw_data() : raw);
    tensor->clear_raw_data();
    tensor->clear_float_data();
  }
  digest.add(model.SerializeAsString());
  return digest.hex();
}

}  // namespace saccade

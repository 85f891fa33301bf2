#include "vision/encoders/onnx/onnx_model.h"

#include <google/protobuf/io/coded_stream.h>

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/base/foreign_file.h"
#include "core/base/suggest.h"

namespace saccade::onnx_file {

namespace {

void add_tensors(onnx::GraphProto& graph, std::vector<onnx::TensorProto*>& to) {
  for (onnx::TensorProto& tensor : *graph.mutable_initializer()) to.push_back(&tensor);
  for (Node& node : *graph.mutable_node())
    for (onnx::AttributeProto& attribute : *node.mutable_attribute()) {
      if (attribute.has_t()) to.push_back(attribute.mutable_t());
      for (onnx::TensorProto& tensor : *attribute.mutable_tensors()) to.push_back(&tensor);
      if (attribute.has_g()) add_tensors(*attribute.mutable_g(), to);
      for (onnx::GraphProto& inner : *attribute.mutable_graphs()) add_tensors(inner, to);
    }
}

}  // namespace

onnx::ModelProto parse_alone(std::span<const std::uint8_t> bytes, const std::string& file) {
  google::protobuf::io::CodedInputStream stream(bytes.data(), static_cast<int>(bytes.size()));
  onnx::ModelProto model;
  if (!model.ParseFromCodedStream(&stream) || !stream.ConsumedEntireMessage() ||
      model.graph().node_size() == 0) {
    const std::string kind = foreign_file(
        std::as_bytes(bytes.first(std::min(bytes.size(), kForeignHead))), file, WantedFile::kOnnx);
    const bool other = !kind.empty() && !kind.starts_with("it is an ONNX model");
    throw DataError(
        str(file, other ? ": no ONNX model: " + kind : ": is damaged or no ONNX model"));
  }
  return model;
}

onnx::ModelProto parse(std::span<const std::uint8_t> bytes, const std::string& file) {
  onnx::ModelProto model = parse_alone(bytes, file);
  for (const onnx::TensorProto* tensor : tensors_of(*model.mutable_graph()))
    if (tensor->data_location() == onnx::TensorProto::EXTERNAL)
      throw DataError(str(file, ": '", tensor->name(),
                          "' is in another file, and there is none here; export it as one file"));
  return model;
}

std::vector<std::uint8_t> bytes_of(const onnx::ModelProto& model, const std::string& file) {
  if (model.ByteSizeLong() > static_cast<std::size_t>(kMaxBytes))
    throw DataError(file + ": has more than the 2 GiB of weights that a network may have here");
  std::vector<std::uint8_t> bytes(model.ByteSizeLong());
  if (!model.SerializeToArray(bytes.data(), static_cast<int>(bytes.size())))
    throw DataError(file + ": cannot be changed in memory");
  return bytes;
}

std::string Number::text() const {
  if (whole_) return str(*whole_);
  const bool whole = std::abs(value_) < 1e15 && value_ == std::floor(value_);
  return whole ? str(static_cast<Index>(value_)) : str(value_);
}

std::string one_line(std::string text) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7F') c = '?';
  return text;
}

std::vector<onnx::TensorProto*> tensors_of(onnx::GraphProto& graph) {
  std::vector<onnx::TensorProto*> tensors;
  add_tensors(graph, tensors);
  return tensors;
}

Index number_bytes(int type) {
  switch (type) {
    case onnx::TensorProto::INT8:
    case onnx::TensorProto::UINT8:
    case onnx::TensorProto::BOOL:
      return 1;
    case onnx::TensorProto::INT16:
    case onnx::TensorProto::UINT16:
    case onnx::TensorProto::FLOAT16:
    case onnx::TensorProto::BFLOAT16:
      return 2;
    case onnx::TensorProto::FLOAT:
    case onnx::TensorProto::INT32:
    case onnx::TensorProto::UINT32:
      return 4;
    case onnx::TensorProto::DOUBLE:
    case onnx::TensorProto::INT64:
    case onnx::TensorProto::UINT64:
      return 8;
    default:
      return 0;
  }
}

Index count_of(const onnx::TensorProto& tensor, const std::string& place) {
  Index count = 1;
  for (const Index extent : tensor.dims()) {
    if (extent < 0 || extent > kMaxBytes)
      throw DataError(str(place, ": has an extent of ", extent, "; the file is damaged"));
    count *= extent;
    if (count > kMaxBytes)
      throw DataError(str(place, ": has more numbers than a file can hold; it is damaged"));
  }
  return count;
}

std::string shown(const Node& node) {
  return node.name().empty() && node.output_size() > 0 ? node.output(0) : node.name();
}

std::string plain_name(const std::string& name) {
  std::string out;
  for (const char c : name) {
    const bool letter =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
    if (letter || !out.empty()) out += letter ? c : '_';
  }
  return out.empty() ? "node" : out.substr(0, 120);
}

const onnx::AttributeProto* attribute(const Node& node, const char* name) {
  for (const onnx::AttributeProto& attribute : node.attribute())
    if (attribute.name() == name) return &attribute;
  return nullptr;
}

Index integer(const Node& node, const char* name, Index otherwise) {
  const onnx::AttributeProto* found = attribute(node, name);
  return found ? static_cast<Index>(found->i()) : otherwise;
}

std::vector<Index> integers(const Node& node, const char* name, std::vector<Index> otherwise) {
  const onnx::AttributeProto* found = attribute(node, name);
  if (!found) return otherwise;
  return {found->ints().begin(), found->ints().end()};
}

double real_number(const Node& node, const char* name, double otherwise) {
  const onnx::AttributeProto* found = attribute(node, name);
  return found ? static_cast<double>(found->f()) : otherwise;
}

std::string auto_pad(const Node& node) {
  const onnx::AttributeProto* found = attribute(node, "auto_pad");
  return found && !found->s().empty() ? found->s() : "NOTSET";
}

Makers::Makers(const onnx::GraphProto& graph, std::string file)
    : graph_(graph), file_(std::move(file)) {
  for (const Node& node : graph.node())
    for (const std::string& output : node.output()) makers_[output] = &node;
}

std::string Makers::tensor_of(const std::string& layer) const {
  for (const onnx::ValueInfoProto& output : graph_.output())
    if (output.name() == layer) return layer;
  std::vector<std::string> known;
  for (const Node& node : graph_.node()) {
    if (node.name() == layer && node.output_size() > 0) return node.output(0);
    known.push_back(shown(node));
  }
  if (makers_.contains(layer)) return layer;
  throw DataError(str(file_, ": no layer '", layer, "'", did_you_mean(layer, known),
                      "; list the layers with: saccade inspect ", file_));
}

std::set<const Node*> Makers::needed(std::span<const std::string> tensors) const {
  std::set<const Node*> nodes;
  std::vector<std::string> open(tensors.begin(), tensors.end());
  while (!open.empty()) {
    const auto maker = makers_.find(open.back());
    open.pop_back();
    if (maker == makers_.end() || !nodes.insert(maker->second).second) continue;
    open.insert(open.end(), maker->second->input().begin(), maker->second->input().end());
  }
  return nodes;
}

std::set<const Node*> Makers::needed_for(std::span<const std::string> layers) const {
  std::vector<std::string> tensors;
  for (const std::string& layer : layers) tensors.push_back(tensor_of(layer));
  return needed(tensors);
}

std::map<std::string, const onnx::TensorProto*> constants_of(const onnx::GraphProto& graph) {
  std::map<std::string, const onnx::TensorProto*> constants;
  for (const onnx::TensorProto& tensor : graph.initializer()) constants[tensor.name()] = &tensor;
  for (const Node& node : graph.node())
    if (const onnx::AttributeProto* value = attribute(node, "value");
        node.op_type() == "Constant" && value && node.output_size() > 0)
      constants[node.output(0)] = &value->t();
  return constants;
}

}  // namespace saccade::onnx_file

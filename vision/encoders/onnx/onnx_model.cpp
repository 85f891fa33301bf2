#include "vision/encoders/onnx/onnx_model.h"

#include <google/protobuf/io/coded_stream.h>

#include "core/base/error.h"
#include "core/base/suggest.h"

namespace saccade::onnx_file {

onnx::ModelProto parse(std::span<const std::uint8_t> bytes, const std::string& file) {
  google::protobuf::io::CodedInputStream stream(bytes.data(), static_cast<int>(bytes.size()));
  onnx::ModelProto model;
  if (!model.ParseFromCodedStream(&stream) || !stream.ConsumedEntireMessage() ||
      model.graph().node_size() == 0)
    throw DataError(file + ": is damaged or no ONNX model");
  return model;
}

std::string shown(const Node& node) {
  return node.name().empty() && node.output_size() > 0 ? node.output(0) : node.name();
}

const onnx::AttributeProto* attribute(const Node& node, const char* name) {
  for (const onnx::AttributeProto& attribute : node.attribute())
    if (attribute.name() == name) return &attribute;
  return nullptr;
}

std::vector<Index> integers(const Node& node, const char* name, std::vector<Index> otherwise) {
  const onnx::AttributeProto* found = attribute(node, name);
  if (!found) return otherwise;
  return {found->ints().begin(), found->ints().end()};
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

}  // namespace saccade::onnx_file

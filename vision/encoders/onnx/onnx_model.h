// What an ONNX file holds, found by name. Shows onnx's types: for the .cpp files of this folder.
#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/base/real.h"

namespace saccade::onnx_file {

using Node = onnx::NodeProto;

inline constexpr Index kMaxBytes = (Index{2} << 30) - 1;  // protobuf reads no more

// Throws DataError that starts with `file` where the bytes are damaged or no model.
onnx::ModelProto parse(std::span<const std::uint8_t> bytes, const std::string& file);

// A node's name in messages: its own, or else what it gives.
std::string shown(const Node& node);
// Null where there is none of that name.
const onnx::AttributeProto* attribute(const Node& node, const char* name);
std::vector<Index> integers(const Node& node, const char* name, std::vector<Index> otherwise);
// NOTSET, SAME_UPPER, SAME_LOWER or VALID.
std::string auto_pad(const Node& node);

// Which node makes what; the graph must outlive it.
class Makers {
 public:
  Makers(const onnx::GraphProto& graph, std::string file);

  // The tensor that a layer's name means: an output of the model, of the node of that name, or of
  // any node, in this order, as the frozen encoder has it. Throws DataError, naming the nearest.
  std::string tensor_of(const std::string& layer) const;
  // The nodes that tensors are made of.
  std::set<const Node*> needed(std::span<const std::string> tensors) const;

 private:
  const onnx::GraphProto& graph_;
  std::string file_;
  std::map<std::string, const Node*> makers_;
};

}  // namespace saccade::onnx_file

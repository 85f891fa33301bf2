// Finds the parts of an ONNX file by name. It shows onnx's types, so only the .cpp files of this
// folder include it.
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

inline constexpr Index kMaxBytes = (Index{2} << 30) - 1;  // protobuf's limit

// Throws DataError, which starts with `file`, where the bytes are damaged or not a model.
onnx::ModelProto parse(std::span<const std::uint8_t> bytes, const std::string& file);

// A node's name in messages: its own, or that of its output where it has none.
std::string shown(const Node& node);
// Null where the node has no attribute of that name.
const onnx::AttributeProto* attribute(const Node& node, const char* name);
std::vector<Index> integers(const Node& node, const char* name, std::vector<Index> otherwise);
// NOTSET, SAME_UPPER, SAME_LOWER or VALID.
std::string auto_pad(const Node& node);

// Knows which node computes each tensor; the graph must outlive it.
class Makers {
 public:
  Makers(const onnx::GraphProto& graph, std::string file);

  // The tensor that a layer's name stands for: an output of the model, the output of the node of
  // that name, or an output of any node, in this order, as in the frozen encoder. Throws DataError,
  // which suggests the nearest name.
  std::string tensor_of(const std::string& layer) const;
  // The nodes that are needed to compute the tensors.
  std::set<const Node*> needed(std::span<const std::string> tensors) const;

 private:
  const onnx::GraphProto& graph_;
  std::string file_;
  std::map<std::string, const Node*> makers_;
};

}  // namespace saccade::onnx_file

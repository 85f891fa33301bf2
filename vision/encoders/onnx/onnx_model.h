// Reads ONNX files and finds their parts by name. It shows onnx's types, so only the .cpp files of
// this folder include it.
#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/base/real.h"

namespace saccade::onnx_file {

using Node = onnx::NodeProto;

inline constexpr Index kMaxBytes = (Index{2} << 30) - 1;  // protobuf's limit

// Throws DataError, which starts with `file`, where the bytes are damaged or not a model. Its
// weights may be in other files.
onnx::ModelProto parse_alone(std::span<const std::uint8_t> bytes, const std::string& file);
// The same; also throws where numbers are in other files.
onnx::ModelProto parse(std::span<const std::uint8_t> bytes, const std::string& file);
std::vector<std::uint8_t> bytes_of(const onnx::ModelProto& model, const std::string& file);

// A number of a graph; messages write it as the file has it.
class Number {
 public:
  explicit Number(Index whole) : whole_(whole), value_(static_cast<double>(whole)) {}
  explicit Number(double value) : value_(value) {}
  double value() const { return value_; }
  bool within(double low, double high) const { return value_ >= low && value_ <= high; }
  // Integers, also those that are kept as a double, as integers.
  std::string text() const;

 private:
  std::optional<Index> whole_;
  double value_;
};

// A text of a file for messages, without what would end the line or the text.
std::string one_line(std::string text);

// All arrays of a graph: its initializers, and those in the attributes of its nodes.
std::vector<onnx::TensorProto*> tensors_of(onnx::GraphProto& graph);
// The bytes of a number of this type (TensorProto::DataType); 0 where it is no number.
Index number_bytes(int type);
// How many numbers the array has by its extents. Throws DataError, which starts with `place`, where
// an extent is negative or the numbers are more than a model may have.
Index count_of(const onnx::TensorProto& tensor, const std::string& place);

// A node's name in messages: its own, or that of its output where it has none.
std::string shown(const Node& node);
// A name as that of a parameter may be: of letters, digits, _ and -.
std::string plain_name(const std::string& name);
// Null where the node has no attribute of that name.
const onnx::AttributeProto* attribute(const Node& node, const char* name);
Index integer(const Node& node, const char* name, Index otherwise);
std::vector<Index> integers(const Node& node, const char* name, std::vector<Index> otherwise);
double real_number(const Node& node, const char* name, double otherwise);
// NOTSET, SAME_UPPER, SAME_LOWER or VALID.
std::string auto_pad(const Node& node);

// Knows which node computes each tensor; the graph must outlive it.
class Makers {
 public:
  Makers(const onnx::GraphProto& graph, std::string file);

  // The tensor that a layer's name stands for: an output of the model, the output of the node of
  // that name, or an output of any node, in this order. Throws DataError, which suggests the
  // nearest name.
  std::string tensor_of(const std::string& layer) const;
  // The nodes that are needed to compute the tensors.
  std::set<const Node*> needed(std::span<const std::string> tensors) const;
  // The same for layers.
  std::set<const Node*> needed_for(std::span<const std::string> layers) const;

 private:
  const onnx::GraphProto& graph_;
  std::string file_;
  std::map<std::string, const Node*> makers_;
};

// The constant arrays of a graph by name: initializers, and the values of nodes Constant.
std::map<std::string, const onnx::TensorProto*> constants_of(const onnx::GraphProto& graph);

}  // namespace saccade::onnx_file

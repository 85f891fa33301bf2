// Computes what nodes of an ONNX graph make of constants alone: shapes, indices, masks, and weights
// that are rearranged.
#pragma once

#include <optional>
#include <vector>

#include "vision/encoders/onnx/tensor_graph.h"

namespace onnx {
class NodeProto;
class TensorProto;
}  // namespace onnx

namespace saccade::onnx_file {

using Node = onnx::NodeProto;

// Numbers of any type: integers up to 2^53 and floats are exact in double.
struct ConstantArray {
  Extents extents{};
  std::vector<double> values{};
  bool whole = false;  // integers or truth values, whose quotients are whole, too
};

// The numbers of an array of a file. Throws DataError, which starts with `place`, on a type that is
// no number. Its size was checked (check_nodes.h).
ConstantArray constant_of(const onnx::TensorProto& tensor, const std::string& place);

// Throws DataError for numbers that do not fit each other.
[[noreturn]] void misfit();
// The numbers of an array as integers.
std::vector<Index> whole_numbers(const ConstantArray& array);
// The numbers of an attribute or a further input, as integers; none where the node has neither.
std::optional<std::vector<Index>> listed(const Node& node, const char* name,
                                         const ConstantArray* input);

// An axis as a number from 0.
std::size_t axis_in(Index axis, std::size_t rank);

// Extents to which both fit, from the last one; throws DataError where they do not.
Extents common_extents(const Extents& a, const Extents& b);
// The array with these extents, by repeating it.
ConstantArray expanded(const ConstantArray& array, const Extents& extents);
// What Reshape, Squeeze, Unsqueeze and Flatten make of extents; `input` is the second input.
Extents extents_after(const Node& node, const Extents& extents, const ConstantArray* input);
// The value of Shape.
ConstantArray shape_array(const Node& node, const Extents& extents);
// The sizes of the parts of Split.
std::vector<Index> split_sizes(const Node& node, Index extent, const ConstantArray* input);
std::vector<Index> axes_of_transpose(const Node& node, std::size_t rank);

// The pieces of Slice along single axes as numbers of TensorOp::kSlice, one after the other.
std::vector<std::vector<Index>> slices_of(const Node& node, const Extents& extents,
                                          std::span<const ConstantArray* const> inputs);

// What Resize makes of a constant, linearly or by cubics. Throws DataError for other kinds.
ConstantArray resized(const Node& node, std::span<const ConstantArray* const> inputs);

// What a node computes of these inputs (null: left out); none where it is of a kind that is not
// known here. Throws DataError where numbers do not fit each other.
std::optional<std::vector<ConstantArray>> folded(const Node& node,
                                                 std::span<const ConstantArray* const> inputs);

}  // namespace saccade::onnx_file

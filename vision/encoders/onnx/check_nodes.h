// The checks that a graph of unknown origin passes before anything is computed by its numbers.
#pragma once

#include <functional>
#include <set>
#include <string>

namespace onnx {
class GraphProto;
class NodeProto;
}  // namespace onnx

namespace saccade::onnx_file {

// Called with the nodes of a graph in their order; throws DataError, which names node, operator,
// number and remedy, for one that does not pass. After that, nodes that read it must not follow.
using NodeCheck = std::function<void(const onnx::NodeProto&)>;

// Checks that what a node reads is there before it, that the bytes of arrays fill their extents,
// and that every number in an attribute is within bounds: windows of at most 4096 cells, say. The
// graph must outlive the check, which throws DataError where the graph has sparse weights or
// more than 20,000 nodes.
NodeCheck number_check(const onnx::GraphProto& graph, const std::string& file);
// The input of the graph that is its image: the only one that the nodes read, or the only one of
// several that can be one. An extent of -1 is one that the file does not know, as is one without a
// number. Throws DataError, which names the input and what is wrong with it, where there is none:
// images are [n, 3, rows, columns] of 32-bit floats, with extents from 1 to 4096, whether or not
// the file says so.
std::string image_of(const onnx::GraphProto& graph, const std::set<const onnx::NodeProto*>& nodes,
                     const std::string& file);
// number_check() of all nodes that lead to some layers.
void check_nodes(const onnx::GraphProto& graph, const std::set<const onnx::NodeProto*>& nodes,
                 const std::string& file);

// Throws DataError for a node that cannot be used: `operator OP of node 'NAME' WHY`.
[[noreturn]] void refuse_node(const std::string& file, const onnx::NodeProto& node,
                              const std::string& why);

}  // namespace saccade::onnx_file

#include "vision/encoders/onnx/dilate_model.h"

#include <algorithm>
#include <array>

#include "core/base/error.h"
#include "vision/encoders/onnx/check_nodes.h"
#include "vision/encoders/onnx/onnx_model.h"

namespace saccade {

namespace {

using onnx_file::Node;
using Axes = std::array<Index, 2>;

class Dilation {
 public:
  Dilation(onnx::GraphProto& graph, const std::string& file, std::span<const std::string> layers)
      : graph_(graph),
        file_(file),
        constants_(onnx_file::constants_of(graph)),
        makers_(graph, file) {
    needed_ = makers_.needed_for(layers);
    onnx_file::check_nodes(graph, needed_, file);
    find_strides();
  }

  void run() {
    if (last_ == 1)
      throw UsageError(
          str("encoder.dilate: nothing strides before the layers of ", file_, "; set it to false"));
    for (Node& node : *graph_.mutable_node()) {
      if (!needed_.contains(&node)) continue;
      if (stride(node) > 1 && strides_.at(node.output(0)) == last_)
        without_stride(node);
      else if (node.input_size() > 0 && of(node.input(0)) == last_)
        dilated(node);
    }
  }

 private:
  [[noreturn]] void refuse(const Node& node, const std::string& why) const {
    throw UsageError(str("encoder.dilate: ", file_, ": ", node.op_type(), " '",
                         onnx_file::shown(node), "' ", why,
                         "; choose layers before it, or set encoder.dilate to false"));
  }

  static bool is_window(const Node& node) {
    return node.op_type() == "Conv" || node.op_type() == "MaxPool" ||
           node.op_type() == "AveragePool";
  }

  Index stride(const Node& node) const {
    if (!is_window(node)) return 1;
    const std::vector<Index> strides = onnx_file::integers(node, "strides", {1, 1});
    if (strides.size() != 2 || strides[0] != strides[1] || strides[0] < 1)
      refuse(node, "strides differently along rows and columns");
    return strides[0];
  }

  // The pixels of the image between neighbouring cells of a tensor.
  Index of(const std::string& tensor) const {
    const auto found = strides_.find(tensor);
    return found == strides_.end() ? 1 : found->second;
  }

  void find_strides() {
    constexpr Index kMost = 1 << 16;
    for (const Node& node : graph_.node()) {
      if (!needed_.contains(&node)) continue;
      for (const char* finer : {"Resize", "Upsample", "ConvTranspose", "DepthToSpace"})
        if (node.op_type() == finer) refuse(node, "makes the grid finer on the way");
      Index all = 1;
      for (const std::string& input : node.input()) all = std::max(all, of(input));
      all *= stride(node);
      if (all > kMost) refuse(node, "strides so far that no grid is left");
      last_ = std::max(last_, all);
      for (const std::string& output : node.output()) strides_[output] = all;
    }
  }

  Axes kernel(const Node& node) const {
    std::vector<Index> extents = onnx_file::integers(node, "kernel_shape", {});
    if (extents.empty() && node.input_size() > 1)
      if (const auto weights = constants_.find(node.input(1));
          weights != constants_.end() && weights->second->dims_size() == 4)
        extents = {weights->second->dims(2), weights->second->dims(3)};
    if (extents.size() != 2 || extents[0] < 1 || extents[1] < 1)
      refuse(node, "has a window that does not have two axes");
    return {extents[0], extents[1]};
  }

  // The padding at top, left, bottom and right of a window without stride.
  std::array<Index, 4> pads(const Node& node) const {
    const std::string automatic = onnx_file::auto_pad(node);
    std::array<Index, 4> zeros{};
    if (automatic == "VALID") return zeros;
    if (automatic == "NOTSET") {
      const std::vector<Index> given = onnx_file::integers(node, "pads", {0, 0, 0, 0});
      if (given.size() != 4) refuse(node, "has a window that does not have two axes");
      std::copy(given.begin(), given.end(), zeros.begin());
      return zeros;
    }
    const Axes window = kernel(node), spread = dilations(node);
    for (std::size_t axis = 0; axis < 2; ++axis) {
      const Index both = (window[axis] - 1) * spread[axis];
      const Index before = automatic == "SAME_UPPER" ? both / 2 : both - both / 2;
      zeros[axis] = before;
      zeros[axis + 2] = both - before;
    }
    return zeros;
  }

  Axes dilations(const Node& node) const {
    const std::vector<Index> given = onnx_file::integers(node, "dilations", {1, 1});
    if (given.size() != 2) refuse(node, "has a window that does not have two axes");
    return {given[0], given[1]};
  }

  static void set(Node& node, const char* name, std::span<const Index> values) {
    for (int i = 0; i < node.attribute_size(); ++i)
      if (node.attribute(i).name() == name) node.mutable_attribute()->DeleteSubrange(i--, 1);
    onnx::AttributeProto& added = *node.add_attribute();
    added.set_name(name);
    added.set_type(onnx::AttributeProto::INTS);
    for (const Index value : values) added.add_ints(value);
  }

  static void set_pads(Node& node, const std::array<Index, 4>& zeros) {
    for (int i = 0; i < node.attribute_size(); ++i)
      if (node.attribute(i).name() == "auto_pad") node.mutable_attribute()->DeleteSubrange(i--, 1);
    set(node, "pads", zeros);
  }

  // Removes the stride of a node and pads so that its grid is as large as its input, with every
  // cell in the middle of its window.
  void without_stride(Node& node) {
    if (node.op_type() != "Conv")
      refuse(node, "makes the last stride, and only a convolution can do without it");
    const Index own = stride(node);
    if (factor_ != 1 && factor_ != own)
      refuse(node, str("strides by ", own, ", and another last stride is by ", factor_));
    factor_ = own;
    const Axes window = kernel(node), spread = dilations(node);
    std::array<Index, 4> zeros{};
    const bool given = onnx_file::auto_pad(node) == "NOTSET";
    const std::array<Index, 4> old = given ? pads(node) : zeros;
    for (std::size_t axis = 0; axis < 2; ++axis) {
      const Index both = (window[axis] - 1) * spread[axis];
      zeros[axis] = std::clamp(old[axis], both / 2, both - both / 2);
      zeros[axis + 2] = both - zeros[axis];
    }
    set_pads(node, zeros);
    set(node, "strides", Axes{1, 1});
  }

  void dilated(Node& node) {
    if (!is_window(node)) return;
    const Axes window = kernel(node);
    if (window == Axes{1, 1}) return;
    if (node.op_type() != "Conv") refuse(node, "pools windows behind the last stride");
    std::array<Index, 4> zeros = pads(node);
    for (Index& zero : zeros) zero *= factor_;
    Axes spread = dilations(node);
    for (Index& d : spread) d *= factor_;
    set_pads(node, zeros);
    set(node, "dilations", spread);
  }

  onnx::GraphProto& graph_;
  const std::string& file_;
  std::map<std::string, const onnx::TensorProto*> constants_;
  onnx_file::Makers makers_;
  std::set<const Node*> needed_;
  std::map<std::string, Index> strides_;  // of each tensor, in pixels
  Index last_ = 1;                        // the largest
  Index factor_ = 1;                      // the stride that the last strided nodes had
};

}  // namespace

void dilate_last_stage(onnx::ModelProto& model, const std::string& file,
                       std::span<const std::string> layers) {
  Dilation(*model.mutable_graph(), file, layers).run();
}

}  // namespace saccade

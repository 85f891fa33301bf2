// A convolutional network as steps over images: what is read from an ONNX file and kept in a
// checkpoint. Weights stand apart.
#pragma once

#include <array>
#include <limits>
#include <string>
#include <vector>

#include "core/base/enum_names.h"
#include "core/base/real.h"

namespace saccade {

enum class OnnxOp {
  kConv,
  kDense,
  kRelu,
  kLeakyRelu,
  kClip,
  kSigmoid,
  kAdd,
  kConcat,
  kMaxPool,
  kAveragePool,
  kGlobalAveragePool,
  kFlatten
};
constexpr auto enum_table(OnnxOp) {
  using enum OnnxOp;
  return enum_rows<OnnxOp>({
      {kConv, "conv", "a convolution"},
      {kDense, "dense", "a product with a matrix"},
      {kRelu, "relu", "max(x, 0)"},
      {kLeakyRelu, "leaky_relu", "x above 0, lowest x below"},
      {kClip, "clip", "min(max(x, lowest), highest)"},
      {kSigmoid, "sigmoid", "1 / (1 + exp(-x))"},
      {kAdd, "add", "a sum of two images"},
      {kConcat, "concat", "channels side by side"},
      {kMaxPool, "max_pool", "the largest of each window"},
      {kAveragePool, "average_pool", "the mean of each window"},
      {kGlobalAveragePool, "global_average_pool", "the mean of all cells"},
      {kFlatten, "flatten", "all channels of all cells in a row"},
  });
}

// Who decides about zeros around an image: the numbers, or its extents (TensorFlow's SAME), where
// an odd one goes behind (upper) or in front (lower).
enum class OnnxPadding { kGiven, kSameUpper, kSameLower };
constexpr auto enum_table(OnnxPadding) {
  using enum OnnxPadding;
  return enum_rows<OnnxPadding>({
      {kGiven, "given", "the numbers of the file"},
      {kSameUpper, "same_upper", "ceil(extent / stride) cells, odd zeros behind"},
      {kSameLower, "same_lower", "the same, odd zeros in front"},
  });
}

struct OnnxStep {
  OnnxOp op = OnnxOp::kConv;
  std::string name;         // the node's, of letters, digits, _ and -; no two the same
  std::vector<int> inputs;  // 0: the image; i + 1: what step i gives
  // Of a window.
  std::array<Index, 2> kernel{1, 1};
  Index stride = 1;
  Index dilation = 1;  // of a convolution: cells from tap to tap
  OnnxPadding padding = OnnxPadding::kGiven;
  std::array<Index, 4> pads{};  // top, left, bottom, right
  // Of a product.
  Index in = 0, out = 0;  // channels; in: of one group
  Index groups = 1;
  bool bias = false;
  // Of a clip; also behind a convolution, which then clips to [0, 6] or to [0, infinity).
  double lowest = std::numeric_limits<float>::lowest();
  double highest = std::numeric_limits<float>::max();

  // The cells of an axis from a window's first to its last.
  Index reach(std::size_t axis) const { return (kernel[axis] - 1) * dilation + 1; }
  bool has_weights() const { return op == OnnxOp::kConv || op == OnnxOp::kDense; }
  bool clips() const {
    constexpr double kAll = std::numeric_limits<float>::max();
    return lowest > -kAll || highest < kAll;
  }
};

// Steps in order of computation.
struct OnnxGraph {
  std::vector<OnnxStep> steps;
  // The values that are the network's, in the order of encoder.layers; counted as a step's inputs.
  std::vector<int> outputs{};  // empty: what the last step gives

  std::vector<int> results() const {
    return outputs.empty() ? std::vector<int>{static_cast<int>(steps.size())} : outputs;
  }
};

// The numbers of a step in torch's layouts: [out, in, kh, kw] or [out, in], and [out].
struct OnnxWeights {
  std::vector<float> weight, bias;
};

// One line of JSON, and back. The second throws DataError where the text is none of the first's.
std::string graph_text(const OnnxGraph& graph);
OnnxGraph graph_of_text(const std::string& text);

}  // namespace saccade

// A convolutional network as a list of steps over images. It is read from an ONNX file and kept in
// a checkpoint, without its weights.
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

// How the padding of an image with zeros is chosen: by the numbers in the file, or from its extents
// (TensorFlow's SAME), where an odd zero goes behind (upper) or in front (lower).
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
  std::string name;         // the node's name: letters, digits, _ and -; unique
  std::vector<int> inputs;  // 0: the image; i + 1: the output of step i
  // The window of a convolution or a pool.
  std::array<Index, 2> kernel{1, 1};
  Index stride = 1;
  Index dilation = 1;  // of a convolution: cells between neighbouring taps
  OnnxPadding padding = OnnxPadding::kGiven;
  std::array<Index, 4> pads{};  // top, left, bottom, right
  // The weights of a convolution or a dense layer.
  Index in = 0, out = 0;  // channels; `in` is per group
  Index groups = 1;
  bool bias = false;
  // The bounds of a clip. A convolution that is followed by a clip holds them too; they are then
  // [0, 6] or [0, infinity).
  double lowest = std::numeric_limits<float>::lowest();
  double highest = std::numeric_limits<float>::max();

  // The number of cells of an axis that a window spans.
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
  // The values that are the network's outputs, in the order of encoder.layers, numbered like the
  // inputs of a step.
  std::vector<int> outputs{};  // empty: the output of the last step

  std::vector<int> results() const {
    return outputs.empty() ? std::vector<int>{static_cast<int>(steps.size())} : outputs;
  }
};

// The weights of a step in torch's layouts: [out, in, kh, kw] or [out, in], and the bias [out].
struct OnnxWeights {
  std::vector<float> weight, bias;
};

// Writes a graph as one line of JSON, and reads it back. graph_of_text throws DataError where the
// text is not such a line.
std::string graph_text(const OnnxGraph& graph);
OnnxGraph graph_of_text(const std::string& text);

}  // namespace saccade

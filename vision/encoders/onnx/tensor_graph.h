// A network of any kind as a list of steps over arrays, for pictures of one size. It is read from
// an ONNX file and kept in a checkpoint, without its weights.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/base/enum_names.h"
#include "core/base/real.h"

namespace saccade {

enum class TensorOp {
  // Rearrangements, of which rearrangement_of() has the numbers.
  kTranspose,
  kSlice,
  kGather,
  kConcat,
  kPad,
  kExpand,
  kReshape,  // the same numbers with other extents
  // Products, with arrays of their own where these are named.
  kConv,      // numbers: stride, zeros before and after, groups, dilation; arrays: kernel, shift
  kLinear,    // arrays: [in, out], and [out] or none
  kMatrices,  // [N, M, K] [N, K, P]; numbers: N, M, K, P
  // Two arrays of equal extents, an array and one of its own, or a factor.
  kAdd,
  kMultiply,
  kChannelFactors,  // the last: [B, ..., C] times [B, C]
  kConstant,
  kShiftChannels,
  kScaleChannels,
  kScale,
  kShift,
  // Of single numbers.
  kRelu,
  kLeakyRelu,
  kClip,
  kSigmoid,
  kTanh,
  kExp,
  kErf,
  kSqrt,
  kReciprocal,
  kGelu,
  kTanhGelu,
  kSilu,
  kHardSwish,
  kHardSigmoid,
  // Of rows, which the last extent gives.
  kSoftmax,
  kLayerNorm,
  kMean,  // factors: epsilon; kMean makes one number of each row
  // Of images [rows, cols, C]: numbers: kernel, stride, padding.
  kMaxPool,
  kAveragePool,
  kMeanOfCells,
};
constexpr auto enum_table(TensorOp) {
  using enum TensorOp;
  return enum_rows<TensorOp>({
      {kTranspose, "transpose", ""},
      {kSlice, "slice", ""},
      {kGather, "gather", ""},
      {kConcat, "concat", ""},
      {kPad, "pad", ""},
      {kExpand, "expand", ""},
      {kReshape, "reshape", ""},
      {kConv, "conv", ""},
      {kLinear, "linear", ""},
      {kMatrices, "matrices", ""},
      {kAdd, "add", ""},
      {kMultiply, "multiply", ""},
      {kChannelFactors, "channel_factors", ""},
      {kConstant, "constant", ""},
      {kShiftChannels, "shift_channels", ""},
      {kScaleChannels, "scale_channels", ""},
      {kScale, "scale", ""},
      {kShift, "shift", ""},
      {kRelu, "relu", ""},
      {kLeakyRelu, "leaky_relu", ""},
      {kClip, "clip", ""},
      {kSigmoid, "sigmoid", ""},
      {kTanh, "tanh", ""},
      {kExp, "exp", ""},
      {kErf, "erf", ""},
      {kSqrt, "sqrt", ""},
      {kReciprocal, "reciprocal", ""},
      {kGelu, "gelu", ""},
      {kTanhGelu, "gelu_tanh", ""},
      {kSilu, "silu", ""},
      {kHardSwish, "hard_swish", ""},
      {kHardSigmoid, "hard_sigmoid", ""},
      {kSoftmax, "softmax", ""},
      {kLayerNorm, "layer_norm", ""},
      {kMean, "mean", ""},
      {kMaxPool, "max_pool", ""},
      {kAveragePool, "average_pool", ""},
      {kMeanOfCells, "mean_of_cells", ""},
  });
}

using Extents = std::vector<Index>;
// The product of extents; 1 of none.
Index numbers_in(const Extents& extents);

struct TensorStep {
  TensorOp op = TensorOp::kAdd;
  std::string name{};         // of its arrays: letters, digits, _ and -; unique
  std::vector<int> inputs{};  // 0: the pixels [1, rows, cols, 3]; i + 1: the output of step i
  std::vector<Index> numbers{};
  std::vector<double> factors{};
  Extents extents{};              // of the output, of one picture
  std::vector<Extents> arrays{};  // of its own arrays, in saccade's layouts
  bool fixed = false;             // training does not change these
};

struct TensorGraph {
  std::vector<TensorStep> steps{};
  std::vector<int> outputs{};  // images [rows, cols, C], numbered like the inputs of a step
  Extents pixels{};            // [rows, cols, 3]
};

// A graph with the numbers of its arrays, [array] of every step.
struct TensorModel {
  TensorGraph graph;
  std::vector<std::vector<std::vector<float>>> arrays{};
};

// What a rearrangement makes of its inputs, which are numbered through one after the other; -1: a
// 0.
struct Rearrangement {
  Extents extents;
  std::vector<int> from;
};
bool is_rearrangement(TensorOp op);
// numbers: kTranspose: the axis of the input for each axis; kSlice: axis, first, count, step;
// kGather: axis, then places on it; kConcat: axis; kPad: zeros before every axis, then behind;
// kExpand: the extents, to which those of the input fit from the last one. Throws DataError where
// they do not fit.
Rearrangement rearrangement_of(TensorOp op, std::span<const Extents> inputs,
                               std::span<const Index> numbers);

// Writes a graph as one line of JSON, and reads it back. tensor_graph_of_text throws DataError
// where the text is not such a line. is_tensor_text() tells such a text from that of an OnnxGraph.
std::string tensor_graph_text(const TensorGraph& graph);
TensorGraph tensor_graph_of_text(const std::string& text);
bool is_tensor_text(const std::string& text);

}  // namespace saccade

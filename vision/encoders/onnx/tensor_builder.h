// Builds the steps of a network over arrays, with the layouts that these need. Internal to
// read_tensors.cpp.
#pragma once

#include <set>
#include <string>

#include "vision/encoders/onnx/fold_constants.h"
#include "vision/encoders/onnx/tensor_graph.h"

namespace saccade {

// An array as ONNX has it. Images [n, C, rows, cols] may lie with their channels last.
struct TensorValue {
  int id = 0;
  Extents extents{};
  bool last = false;
  bool shared = false;  // several nodes read it
};

class TensorBuilder {
 public:
  // For pictures of these extents.
  TensorBuilder(Index rows, Index cols);
  // The picture [1, 3, rows, cols].
  const TensorValue& picture() const { return picture_; }

  // Gives the arrays of the steps that follow this name.
  void name_arrays(const std::string& node);
  // A step that keeps extents and layout.
  TensorValue alike(TensorOp op, const TensorValue& x, std::vector<double> factors = {});
  TensorValue rearrange(TensorOp op, const TensorValue& x, std::vector<Index> numbers);
  TensorValue concat(std::vector<TensorValue> parts, Index axis);
  // The same numbers with other extents.
  TensorValue reshape(const TensorValue& x, Extents extents);
  TensorValue transpose(const TensorValue& x, const std::vector<Index>& axes);
  // The axes in order, or channels last. Throws DataError for what is no image.
  TensorValue plain(const TensorValue& x);
  TensorValue image(const TensorValue& x);

  TensorValue conv(const TensorValue& x, const onnx_file::ConstantArray& kernel,
                   const onnx_file::ConstantArray* shift, std::vector<Index> numbers);
  TensorValue pool(TensorOp op, const TensorValue& x, Index kernel, Index stride, Index padding);
  // x [..., in] times weights [in, out].
  TensorValue linear(const TensorValue& x, const onnx_file::ConstantArray& weight);
  // [..., M, K] [..., K, P] of equal leading extents.
  TensorValue matrices(const TensorValue& a, const TensorValue& b);
  TensorValue add(const TensorValue& a, const TensorValue& b) { return pair(TensorOp::kAdd, a, b); }
  TensorValue multiply(const TensorValue& a, const TensorValue& b) {
    return pair(TensorOp::kMultiply, a, b);
  }
  TensorValue add(const TensorValue& x, const onnx_file::ConstantArray& constant) {
    return with_constant(TensorOp::kAdd, x, constant);
  }
  TensorValue multiply(const TensorValue& x, const onnx_file::ConstantArray& constant) {
    return with_constant(TensorOp::kMultiply, x, constant);
  }
  TensorValue layer_norm(const TensorValue& x, const onnx_file::ConstantArray& gain,
                         const onnx_file::ConstantArray& shift, double epsilon);
  // The mean over some axes, which then are 1.
  TensorValue mean(const TensorValue& x, const std::vector<Index>& axes);
  // An array of its own.
  TensorValue constant(const onnx_file::ConstantArray& array);

  // The model whose results are these images.
  TensorModel take(std::vector<TensorValue> outputs);

 private:
  TensorValue push(TensorStep step, Extents extents, bool last,
                   std::vector<onnx_file::ConstantArray> arrays = {});
  TensorValue pair(TensorOp op, const TensorValue& a, const TensorValue& b);
  TensorValue with_constant(TensorOp op, const TensorValue& x,
                            const onnx_file::ConstantArray& constant);
  // x with these extents, by repeating it.
  TensorValue expand(const TensorValue& x, const Extents& extents);

  TensorValue picture_;
  TensorModel model_;
  std::string name_ = "node";
  std::set<std::string> names_;
};

}  // namespace saccade

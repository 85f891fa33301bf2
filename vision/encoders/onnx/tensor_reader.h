// Reads the nodes of an ONNX file as steps over arrays. Internal to read_tensors.cpp and
// tensor_operators.cpp.
#pragma once

#include <map>
#include <memory>

#include "vision/encoders/onnx/read_tensors.h"
#include "vision/encoders/onnx/tensor_builder.h"

namespace onnx {
class GraphProto;
class ModelProto;
}  // namespace onnx

namespace saccade {

namespace onnx_file {
class Makers;  // onnx_model.h
}

// The functions read_... give the output of a node its value; they throw DataError for one that
// cannot be computed.
class TensorReader {
  using Node = onnx_file::Node;
  using ConstantArray = onnx_file::ConstantArray;

 public:
  // Of a model of `file`, for pictures of this size.
  TensorReader(const onnx::ModelProto& model, const std::string& file, const ImageSize& input);
  ~TensorReader();

  // read_tensors() and tensor_layers().
  TensorModel read(std::span<const std::string> layers);

  std::vector<TensorNode> read_all();

 private:
  static bool is_grid(const Extents& extents);

  [[noreturn]] void refuse(const Node& node, const std::string& why) const;

  void read(const Node& node);

  // The constant that a node reads as this input; null where it is none.
  const ConstantArray* constant(const Node& node, int input);
  const ConstantArray& needed_constant(const Node& node, int input);
  std::vector<const ConstantArray*> constants(const Node& node);
  TensorValue value(const Node& node, int input);
  bool is_value(const Node& node, int input) const;
  void set(const Node& node, TensorValue value);

  // Whether all that a node reads is constant; its outputs then are constants, too.
  bool fold(const Node& node);
  void translate(const Node& node);

  void read_same(const Node& node);
  void read_shape(const Node& node);
  void read_transpose(const Node& node);
  void read_slice(const Node& node);
  void read_split(const Node& node);
  void read_gather(const Node& node);
  void read_concat(const Node& node);
  void read_expand(const Node& node);
  void read_pad(const Node& node);
  // The first where a condition holds, else the second; the condition is constant.
  void read_where(const Node& node);

  void read_conv(const Node& node);
  void read_pool(const Node& node);
  void read_batch_norm(const Node& node);
  void read_gemm(const Node& node);
  void read_matmul(const Node& node);

  void read_arithmetic(const Node& node);
  void read_negative(const Node& node);
  void read_leaky(const Node& node);
  void read_clip(const Node& node);
  void read_hard_sigmoid(const Node& node);
  void read_gelu(const Node& node);
  // x sigmoid(x), as opset 24 and some exporters have it.
  void read_silu(const Node& node);
  void read_softmax(const Node& node);
  void read_layer_norm(const Node& node);
  void read_reduction(const Node& node);
  // softmax(scale q k' + mask) v of [1, heads, places, width], or of [1, places, heads width].
  void read_attention(const Node& node);

  using Read = void (TensorReader::*)(const Node&);
  struct Reader {
    const char* op;
    Read read;
  };
  static std::span<const Reader> readers();

  std::string file_;
  const onnx::GraphProto& graph_;
  std::map<std::string, const onnx::TensorProto*> arrays_;
  std::unique_ptr<onnx_file::Makers> makers_;
  TensorBuilder builder_;
  std::map<std::string, int> readers_;           // how many nodes read each tensor
  std::map<std::string, ConstantArray> folded_;  // constants that were read or computed
  std::map<std::string, TensorValue> values_;    // what is computed of the picture
};

}  // namespace saccade

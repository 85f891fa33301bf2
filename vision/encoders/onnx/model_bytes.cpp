#include "vision/encoders/onnx/model_bytes.h"

#include <algorithm>

#include "vision/encoders/onnx/onnx_model.h"
#include "vision/encoders/onnx/outside_weights.h"
#include "vision/images/file_bytes.h"

namespace saccade {

std::vector<std::uint8_t> read_model_bytes(const std::filesystem::path& file) {
  std::vector<std::uint8_t> bytes =
      read_file_bytes(file, {.noun = "ONNX model", .max_bytes = onnx_file::kMaxBytes});
  onnx::ModelProto model = onnx_file::parse_alone(bytes, file.string());
  if (!onnx_file::take_outside_weights(model, file)) return bytes;
  return onnx_file::bytes_of(model, file.string());
}

Index stated_picture_side(const std::filesystem::path& file) {
  const std::vector<std::uint8_t> bytes =
      read_file_bytes(file, {.noun = "ONNX model", .max_bytes = onnx_file::kMaxBytes});
  const onnx::ModelProto model = onnx_file::parse_alone(bytes, file.string());
  for (const onnx::ValueInfoProto& input : model.graph().input()) {
    const auto& shape = input.type().tensor_type().shape();
    if (shape.dim_size() != 4 || shape.dim(1).dim_value() != 3) continue;
    const Index rows = shape.dim(2).dim_value(), cols = shape.dim(3).dim_value();
    return rows == cols ? std::max<Index>(rows, 0) : 0;
  }
  return 0;
}

}  // namespace saccade

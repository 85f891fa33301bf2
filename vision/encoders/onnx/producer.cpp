#include "vision/encoders/onnx/producer.h"

#include "vision/encoders/onnx/onnx_model.h"
#include "vision/images/file_bytes.h"

namespace saccade {

std::string onnx_producer(const std::filesystem::path& file) {
  const std::vector<std::uint8_t> bytes =
      read_file_bytes(file, {.noun = "ONNX model", .max_bytes = onnx_file::kMaxBytes});
  return onnx_file::parse_alone(bytes, file.string()).producer_name();
}

}  // namespace saccade

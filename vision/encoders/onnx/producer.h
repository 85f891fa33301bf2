// Who wrote an ONNX file.
#pragma once

#include <filesystem>
#include <string>

namespace saccade {

// The program that wrote the file, as the file says: "pytorch", "tf2onnx"; empty where it does not.
// Throws DataError when the file is missing or not an ONNX model.
std::string onnx_producer(const std::filesystem::path& file);

}  // namespace saccade

// Weights that an ONNX model keeps in other files.
#pragma once

#include <filesystem>

namespace onnx {
class ModelProto;
}  // namespace onnx

namespace saccade::onnx_file {

// Puts the numbers that lie in other files into the model. Such a file must be below the folder of
// the model `file`: no absolute path, no `..` and no link that leads out of it. Returns whether
// there were any. Throws DataError, which names model, array and file, where the place is not
// allowed, the file is missing, or the array's bytes do not lie within it; IoError where it cannot
// be read.
bool take_outside_weights(onnx::ModelProto& model, const std::filesystem::path& file);

}  // namespace saccade::onnx_file

// encoder.dilate for ONNX files: the model is changed in memory before it is read.
#pragma once

#include <span>
#include <string>

namespace onnx {
class ModelProto;
}  // namespace onnx

namespace saccade {

// Dilates the last stage before `layers` in the model of `file` (last_stage.h). Padding with zeros
// around the convolutions that lost their stride keeps their grid as large as their input and
// centres each window on its cell. Where the file pads evenly, the cells of the old grid are those
// in even rows and columns of the new one. Throws UsageError, which names the node, where nothing
// has a stride or where something other than a convolution would have to change, and DataError as
// read_onnx does.
void dilate_last_stage(onnx::ModelProto& model, const std::string& file,
                       std::span<const std::string> layers);

}  // namespace saccade

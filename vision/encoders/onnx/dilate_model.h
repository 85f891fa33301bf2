// encoder.dilate for ONNX files: the model is changed in memory before it is run.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace saccade {

// Returns the bytes of the model of `file`, with the last stage before `layers` dilated
// (last_stage.h). Padding with zeros around the convolutions that lost their stride keeps their
// grid as large as their input and centres each window on its cell. Where the file pads evenly, the
// cells of the old grid are those in even rows and columns of the new one. Throws UsageError, which
// names the node, where nothing has a stride or where something other than a convolution would have
// to change, and DataError as read_onnx does.
std::vector<std::uint8_t> dilate_last_stage(std::span<const std::uint8_t> model,
                                            const std::string& file,
                                            std::span<const std::string> layers);

}  // namespace saccade

// encoder.dilate for ONNX files: the model is changed in memory, before anybody runs it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace saccade {

// The bytes of the model of `file` with the last stage before `layers` dilated (last_stage.h).
// Zeros around what was strided keep its grid as large as what it is computed from, and its windows
// around their cells: where the file pads evenly, the old grid's cells are those of even rows and
// columns. Throws UsageError where nothing strides, or something else than a convolution would have
// to change, naming the node, and DataError as read_onnx does.
std::vector<std::uint8_t> dilate_last_stage(std::span<const std::uint8_t> model,
                                            const std::string& file,
                                            std::span<const std::string> layers);

}  // namespace saccade

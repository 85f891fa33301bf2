// Turns ONNX files of any kind of network (vision transformers, ConvNeXt, Swin) into steps over
// arrays. Files that read_onnx() reads need it not: their steps are of images and of any size.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "vision/encoders/onnx/tensor_graph.h"
#include "vision/images/image.h"

namespace saccade {

// Reads what leads from a picture of this size to the layers, each of which is a grid [1, features,
// rows, columns]; what is computed of constants alone is computed here. Throws DataError as
// read_onnx() does, and where a layer is no grid.
TensorModel read_tensors(const std::vector<std::uint8_t>& bytes, const std::string& file,
                         std::span<const std::string> layers, const ImageSize& input);

// The extents [1, features, rows, columns] of all nodes that can be such a layer.
struct TensorNode {
  std::string name;
  Extents extents;
};
std::vector<TensorNode> tensor_layers(const std::vector<std::uint8_t>& bytes,
                                      const std::string& file, const ImageSize& input);

}  // namespace saccade

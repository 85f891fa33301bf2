// Networks that OpenCV runs. It shows OpenCV's types, so only the .cpp files of this folder include
// it.
#pragma once

#include <functional>
#include <opencv2/dnn.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/base/real.h"
#include "vision/encoders/onnx/model_bytes.h"

namespace saccade {

// The network of some parts of a model that have passed its checks; empty where OpenCV cannot read
// them.
std::optional<cv::dnn::Net> import_network(const std::vector<std::uint8_t>& checked);
// Whether OpenCV can read these parts.
bool read_by_opencv(const std::vector<std::uint8_t>& checked);
// The first node among `wanted` with which works(parts up to it) is false, where it is false for
// all of them.
std::size_t first_failing(const ModelParts& parts, std::vector<bool> wanted,
                          const std::function<bool(const std::vector<std::uint8_t>&)>& works);

// Throws std::bad_alloc where that is what OpenCV's error is about.
void rethrow_memory(const cv::Exception& error);

// The name that the file has for what OpenCV calls `layer`.
std::string short_name(const std::string& layer);

// The outputs of all layers for images of this size, by OpenCV's names; empty where the network
// cannot take them. Throws DataError, which names a layer of `file`, where they ask for more memory
// or work than NetworkCost allows.
struct LayerShapes {
  std::vector<std::string> names;
  std::vector<std::vector<Index>> shapes;
};
std::optional<LayerShapes> layer_shapes(const cv::dnn::Net& net, const std::string& file,
                                        Index height, Index width);

}  // namespace saccade

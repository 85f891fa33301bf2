// Networks that OpenCV runs.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/base/real.h"
#include "vision/encoders/onnx/model_bytes.h"
#include "vision/images/geometry.h"
#include "vision/images/image.h"

namespace saccade {

// OpenCV cannot run a network; the text is OpenCV's.
struct OpencvFailure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// What a layer gives.
struct LayerOutput {
  std::vector<Index> shape;
  std::shared_ptr<const float> numbers;  // null where they are not 32-bit floats
};

// The outputs of all layers for images of one size, by OpenCV's names.
struct LayerShapes {
  std::vector<std::string> names;
  std::vector<std::vector<Index>> shapes;
};

// One thread at a time may use it.
class OpencvNetwork {
 public:
  // The network of some parts of a model that have passed its checks; empty where OpenCV cannot
  // read them.
  static std::optional<OpencvNetwork> import(const std::vector<std::uint8_t>& checked);
  OpencvNetwork(OpencvNetwork&&) noexcept;
  OpencvNetwork& operator=(OpencvNetwork&&) noexcept;
  ~OpencvNetwork();

  // By OpenCV's names, in its order. Outputs of the model come last and may share the name of a
  // node.
  std::vector<std::string> layer_names() const;
  // Empty where the network cannot take images of this size. Throws DataError, which names a layer
  // of `file`, where they ask for more memory or work than NetworkCost allows.
  std::optional<LayerShapes> layer_shapes(const std::string& file, Index height, Index width) const;
  // The outputs of layers, by OpenCV's names, for a normalised image. Throws OpencvFailure, and
  // std::bad_alloc where that is what OpenCV's error is about.
  std::vector<LayerOutput> forward(const Image& image, const Normalization& normalization,
                                   const std::vector<std::string>& layers);

 private:
  struct Impl;
  explicit OpencvNetwork(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// Whether OpenCV can read these parts.
bool read_by_opencv(const std::vector<std::uint8_t>& checked);
// The first node among `wanted` with which works(parts up to it) is false, where it is false for
// all of them.
std::size_t first_failing(const ModelParts& parts, std::vector<bool> wanted,
                          const std::function<bool(const std::vector<std::uint8_t>&)>& works);

// The name that the file has for what OpenCV calls `layer`.
std::string short_name(const std::string& layer);
// "4.6.0".
std::string opencv_version();

}  // namespace saccade

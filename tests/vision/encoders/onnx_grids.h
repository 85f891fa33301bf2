// What encoder.type onnx_native makes of a file: a grid, or a refusal; and what OpenCV computes of
// it, which shares no code with us.
#pragma once

#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"
#include "tests/vision/pictures.h"
#include "vision/encoders/encoder.h"
#include "vision/encoders/frozen_network.h"
#include "vision/encoders/onnx_layers.h"

namespace saccade::test {

using Extents = std::vector<Index>;

// The features of a network's input, [rows, cols, features].
inline std::vector<float> encode(const FrozenEncoder& encoder, const Image& input,
                                 const PictureArea& area = {}) {
  std::vector<float> out(static_cast<std::size_t>(encoder.grid().size()));
  encoder.encode(input, area, out);
  return out;
}
// The same of a picture that is brought to the size of the input.
inline std::vector<float> encode_picture(const FrozenEncoder& encoder, const Image& picture) {
  return encode(encoder, prepare(picture, encoder.preparation()).image);
}

// A frozen network for images of 32 x 32.
inline EncoderConfig frozen_config(const std::filesystem::path& file, const std::string& layer) {
  EncoderConfig config;
  config.type = "onnx_native";
  config.model = file.string();
  config.layer = layer;
  config.image_size = 32;
  config.frozen_stages = -1;
  return config;
}
inline FrozenNetwork frozen_network(const EncoderConfig& config, const Normalization& pixels = {}) {
  return {config, config.resize, pixels};
}

// The grid of one picture.
inline std::vector<float> grid_of(const std::filesystem::path& file,
                                  const std::string& layer = "last") {
  return encode_picture(frozen_network(frozen_config(file, layer)), test_picture(60, 80));
}

// What reading a layer says, or what listing the layers does; "" where it says nothing.
inline std::string refusal_of(const std::filesystem::path& file,
                              const std::string& layer = "last") {
  return message_of<DataError>([&] { grid_of(file, layer); });
}
inline std::string refusal_of_list(const std::filesystem::path& file) {
  return message_of<DataError>([&] { list_onnx_layers(file, 32); });
}

// The output of a node as OpenCV's dnn computes it, [rows, cols, features], of a network's input
// whose pixels are normalised as Normalization{} does it.
std::vector<float> by_opencv(const std::filesystem::path& file, const std::string& node,
                             const Image& input);

}  // namespace saccade::test

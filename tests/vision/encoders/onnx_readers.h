// What the two readers of ONNX files make of one: a grid, or a refusal.
#pragma once

#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"
#include "tests/vision/pictures.h"
#include "vision/encoders/encoder.h"
#include "vision/encoders/frozen_network.h"
#include "vision/encoders/onnx_encoder.h"
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

// Options and configs for images of 32 x 32.
inline OnnxEncoderOptions opencv_options(const std::filesystem::path& file,
                                         const std::string& layer) {
  return {.model = file, .layer = layer, .image_size = 32};
}
inline EncoderConfig native_config(const std::filesystem::path& file, const std::string& layer) {
  EncoderConfig config;
  config.type = "onnx_native";
  config.model = file.string();
  config.layer = layer;
  config.image_size = 32;
  config.frozen_stages = -1;
  return config;
}

// The grid of one picture.
inline std::vector<float> by_opencv(const std::filesystem::path& file,
                                    const std::string& layer = "last") {
  return encode_picture(OnnxEncoder(opencv_options(file, layer)), test_picture(60, 80));
}
inline std::vector<float> by_us(const std::filesystem::path& file,
                                const std::string& layer = "last") {
  return encode_picture(FrozenNetwork(native_config(file, layer), ResizeMode::kSquash, {}),
                        test_picture(60, 80));
}

// What a reader says, or what listing the layers does; "" where it says nothing.
inline std::string refusal_of_opencv(const std::filesystem::path& file,
                                     const std::string& layer = "last") {
  return message_of<DataError>([&] { by_opencv(file, layer); });
}
inline std::string refusal_of_us(const std::filesystem::path& file,
                                 const std::string& layer = "last") {
  return message_of<DataError>([&] { by_us(file, layer); });
}
inline std::string refusal_of_list(const std::filesystem::path& file) {
  return message_of<DataError>([&] { list_onnx_layers(file, 32); });
}

}  // namespace saccade::test

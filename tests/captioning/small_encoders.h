// An encoder of every kind that is quick to run, and data that it can read.
#pragma once

#include "captioning/data/data_config.h"
#include "tests/support/onnx_file.h"
#include "tests/support/temp_folder.h"
#include "vision/encoders/encoder_config.h"
#include "vision/encoders/encoder_traits.h"

namespace saccade::test {

// Backbones end early, because what their neighbours have to do does not depend on how deep they
// are. Both onnx encoders read small.onnx in the folder (save_small_onnx).
inline void set_small_encoder(const std::string& kind, const TempFolder& folder,
                              EncoderConfig& config) {
  config.type = kind;
  switch (kind) {
    case "resnet18":
    case "resnet34":
    case "resnet50":
    case "resnet101":
      config.layer = "layer1";
      break;
    case "vgg16":
    case "vgg19":
      config.layer = "conv3";
      break;
    case "mobilenet_v2":
      config.layer = "stage3";
      break;
    case "vit":
    case "hybrid":
      config.vit = {.width = 8, .layers = 1, .heads = 2, .patch = kind == "vit" ? 8 : 1};
      break;
    case "onnx":
    case "onnx_native":
      config.model = (folder / "small.onnx").string();
      config.layer = "last";
      break;
    case "bigru":
    case "text_transformer":
      config.text = {.length = 6, .width = 8, .layers = 2, .heads = 2, .multiple = 2};
      break;
    case "cnn":
      break;
  }
}

// Gives an encoder of texts small texts to read; other data stay as they are.
inline void set_readable_data(const EncoderConfig& encoder, DataConfig& data) {
  if (!encoder_traits(encoder).reads_text) return;
  data.type = DataKind::kSequences;
  data.sequences = {.train = 6, .val = 3, .test = 1, .symbols = 4, .shortest = 2, .longest = 5};
}

}  // namespace saccade::test

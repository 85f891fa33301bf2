// An encoder of every kind that is quick to run, and data that it can read.
#pragma once

#include "captioning/data/data_config.h"
#include "tests/support/onnx_file.h"
#include "tests/support/temp_folder.h"
#include "vision/encoders/encoder_config.h"
#include "vision/encoders/encoder_kind.h"
#include "vision/encoders/encoder_traits.h"

namespace saccade::test {

// Backbones end early, because what their neighbours have to do does not depend on how deep they
// are. Both onnx encoders read small.onnx in the folder (save_small_onnx).
inline void set_small_encoder(EncoderKind kind, const TempFolder& folder, EncoderConfig& config) {
  config.type = kind;
  switch (kind) {
    case EncoderKind::kResnet18:
    case EncoderKind::kResnet34:
    case EncoderKind::kResnet50:
    case EncoderKind::kResnet101:
      config.layer = "layer1";
      break;
    case EncoderKind::kVgg16:
    case EncoderKind::kVgg19:
      config.layer = "conv3";
      break;
    case EncoderKind::kMobilenetV2:
      config.layer = "stage3";
      break;
    case EncoderKind::kVit:
    case EncoderKind::kHybrid:
      config.vit = {
          .width = 8, .layers = 1, .heads = 2, .patch = kind == EncoderKind::kVit ? 8 : 1};
      break;
    case EncoderKind::kHub:
      config.weights = SACCADE_PUBLISHED_VIT;
      break;
    case EncoderKind::kOnnx:
    case EncoderKind::kOnnxNative:
      config.model = (folder / "small.onnx").string();
      config.layer = "last";
      break;
    case EncoderKind::kBigru:
    case EncoderKind::kTextTransformer:
      config.text = {.length = 6, .width = 8, .layers = 2, .heads = 2, .multiple = 2};
      break;
    case EncoderKind::kCnn:
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

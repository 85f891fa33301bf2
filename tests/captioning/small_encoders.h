// An encoder of every kind that is quick to run, and data that it can read.
#pragma once

#include "captioning/data/data_config.h"
#include "captioning/data/scenes/scene_regions.h"
#include "core/base/atomic_file.h"
#include "tests/support/onnx_file.h"
#include "tests/support/temp_folder.h"
#include "vision/encoders/encoder_config.h"
#include "vision/encoders/encoder_traits.h"

namespace saccade::test {

// Backbones end early, because what their neighbours have to do does not depend on how deep they
// are. onnx_native reads small.onnx in the folder (save_small_onnx).
inline void set_small_encoder(const std::string& kind, const TempFolder& folder,
                              EncoderConfig& config) {
  config.type = kind;
  const EncoderTraits& traits = encoder_traits(config);
  if (kind.starts_with("resnet")) config.layer = "layer1";
  if (kind.starts_with("vgg")) config.layer = "conv3";
  if (kind == "mobilenet_v2") config.layer = "stage3";
  if (kind == "hub") config.weights = SACCADE_PUBLISHED_VIT;
  if (traits.reads_features) {
    config.features.path = (folder / "features.tsv").string();
    const ScenesDataset scenes =
        scenes_dataset({.train = 40, .val = 20, .test = 8, .size = 32, .objects_max = 2});
    write_file(config.features.path, scene_regions_table(scenes, 1));
  }
  if (traits.reads_onnx_file)
    config.model = (folder / "small.onnx").string(), config.layer = "last";
  if (traits.reads_text)
    config.text = {.length = 6, .width = 8, .layers = 2, .heads = 2, .multiple = 2};
  else if (traits.has_tokens)
    config.vit = {.width = 8, .layers = 1, .heads = 2, .patch = kind == "vit" ? 8 : 1};
}

// Gives an encoder of texts small texts to read; other data stay as they are.
inline void set_readable_data(const EncoderConfig& encoder, DataConfig& data) {
  if (!encoder_traits(encoder).reads_text) return;
  data.type = DataKind::kSequences;
  data.sequences = {.train = 6, .val = 3, .test = 1, .symbols = 4, .shortest = 2, .longest = 5};
}

}  // namespace saccade::test

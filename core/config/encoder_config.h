// The section `encoder`: from an image to a grid of features.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/config/choices.h"
#include "core/config/constraint.h"
#include "core/config/refinement_config.h"

namespace saccade {

struct AugmentConfig {
  bool flip = false;
  std::int64_t shift = 0;
  double color = 0;

  template <class V>
  void fields(V& v) {
    v.field("flip", flip, "mirror half of the images; wrong where captions say left or right");
    v.field("shift", shift, "largest shift in pixels of the network's input", between(0, 128));
    v.field("color", color, "largest relative change of brightness and contrast", between(0, 1));
  }
};

struct EncoderConfig {
  EncoderKind type = EncoderKind::kCnn;
  std::vector<std::int64_t> channels = {32, 64, 96, 128};
  std::int64_t image_size = 64;
  ResizeKind resize = ResizeKind::kSquash;
  std::string model, layer, cache;
  bool half = false;
  PositionKind positions = PositionKind::kNone;
  double input_mean = 127.5;
  double input_scale = 127.5;
  AugmentConfig augment;
  RefinementConfig refine;

  template <class V>
  void fields(V& v) {
    v.field("type", type, "the image encoder");
    v.field("channels", channels, "width of each stage; the first three halve the image (cnn)",
            {.min = 1, .max = 4096, .not_empty = true});
    v.field("image_size", image_size, "side of the network's square input in pixels",
            between(8, 2048));
    v.field("resize", resize, "how an image becomes that square");
    v.field("model", model, "path of the .onnx file (onnx)");
    v.field("layer", layer, "name of the layer whose output is the grid (onnx)");
    v.field("cache", cache, "folder for cached features (onnx); empty = no cache");
    v.field("half", half, "keep the cache in 16-bit floats: half the space, 3 digits");
    v.field("positions", positions, "what tells a region where it is");
    v.field("input_mean", input_mean, "the network sees (pixel - input_mean) / input_scale");
    v.field("input_scale", input_scale, "see input_mean", above(0));
    v.section("augment", augment, "random changes of training images (cnn)");
    v.section("refine", refine, "attention among the regions of the grid");
  }
};

}  // namespace saccade

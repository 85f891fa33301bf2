// How a picture is fitted into the input of a network.
#pragma once

#include "core/base/enum_names.h"

namespace saccade {

// The names are those of configs and of JSON. The last three resize the whole picture and then cut.
enum class ResizeMode { kSquash, kCrop, kPad, kCenter, kCenterEven, kSquashCenter };
constexpr auto enum_table(ResizeMode) {
  using enum ResizeMode;
  return enum_rows<ResizeMode>({
      {kSquash, "squash", "the whole image, without its aspect ratio"},
      {kCrop, "crop", "the largest central part that has the aspect ratio of the network's input"},
      {kPad, "pad",
       "the whole image in its aspect ratio, with padding around it; cells that show only padding "
       "do not count"},
      {kCenter, "center",
       "as transformers: the shortest side becomes encoder.resize_side pixels, and the network "
       "sees "
       "the centre, whose place is rounded down"},
      {kCenterEven, "center_even",
       "the same as torchvision, timm and OpenCLIP have it, which round the place to the nearest "
       "even number"},
      {kSquashCenter, "squash_center",
       "both sides become encoder.resize_side pixels, and the network sees the centre"},
  });
}

// How the pixels of a picture become those of a network's input. The names are those of configs.
enum class Interpolation { kArea, kBilinear, kBicubic, kLanczos, kNearest };
constexpr auto enum_table(Interpolation) {
  using enum Interpolation;
  return enum_rows<Interpolation>({
      {kArea, "area", "the mean over areas where a picture shrinks, linear where it grows"},
      {kBilinear, "bilinear",
       "with antialiasing, to the level as PIL and torchvision; what torchvision's networks and "
       "Hugging Face's ViT were trained with"},
      {kBicubic, "bicubic",
       "with antialiasing, to the level as PIL; what CLIP and most networks of timm were trained "
       "with"},
      {kLanczos, "lanczos", "with antialiasing, by a window of three pixels, to the level as PIL"},
      {kNearest, "nearest", "the pixel at the place, as PIL; what EfficientNet was trained with"},
  });
}

}  // namespace saccade

// How a picture is fitted into the input of a network.
#pragma once

#include "core/base/enum_names.h"

namespace saccade {

// The names are those of configs and of JSON.
enum class ResizeMode { kSquash, kCrop, kPad };
constexpr auto enum_table(ResizeMode) {
  using enum ResizeMode;
  return enum_rows<ResizeMode>({
      {kSquash, "squash", "the whole image, without its aspect ratio"},
      {kCrop, "crop", "the largest central part that has the aspect ratio of the network's input"},
      {kPad, "pad",
       "the whole image in its aspect ratio, with padding around it; cells that show only padding "
       "do not count"},
  });
}

// How the pixels of a picture become those of a network's input. The names are those of configs.
enum class Interpolation { kArea, kBilinear, kBicubic };
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
  });
}

}  // namespace saccade

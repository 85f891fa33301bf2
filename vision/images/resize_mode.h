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

}  // namespace saccade

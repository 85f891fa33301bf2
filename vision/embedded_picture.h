// Pixels as they travel inside a vector file. Internal to vision.
#pragma once

#include <cstdint>
#include <vector>

#include "vision/canvas.h"

namespace saccade {

struct EmbeddedPicture {
  bool jpeg = false;  // else PNG
  std::vector<std::uint8_t> bytes;
};

// Drawings exactly, as PNG; photos, of which PNG would be several times the size, as good JPEG.
EmbeddedPicture embed(const Image& image);
// PNG with an alpha channel.
EmbeddedPicture embed(const Layer& layer);

}  // namespace saccade

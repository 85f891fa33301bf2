// Pixels encoded for a place inside a vector file. Internal to vision/drawing.
#pragma once

#include <cstdint>
#include <vector>

#include "vision/drawing/canvas.h"

namespace saccade {

struct EmbeddedPicture {
  bool jpeg = false;  // else PNG
  std::vector<std::uint8_t> bytes;
};

// Encodes drawings without loss, as PNG, and photos, for which PNG would be several times the size,
// as JPEG of high quality.
EmbeddedPicture embed(const Image& image);
// Encodes a layer as PNG with an alpha channel.
EmbeddedPicture embed(const Layer& layer);

}  // namespace saccade

// What every encoder of images gives: a grid of feature vectors, one a region.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/base/real.h"
#include "vision/encoders/receptive_field.h"
#include "vision/geometry.h"

namespace saccade {

// The regions of an image, row by row from the top left, with a feature vector [features] each.
struct GridShape {
  Index rows = 0, cols = 0, features = 0;
  // Channels of each layer that was joined (encoder.layers), in order; more features than these
  // have no layer.
  std::vector<Index> widths{};

  Index regions() const { return rows * cols; }
  Index size() const { return regions() * features; }
  bool operator==(const GridShape&) const = default;
};

// An encoder whose weights never change, so that its grids may be computed once and kept.
class FrozenEncoder {
 public:
  virtual ~FrozenEncoder() = default;

  virtual GridShape grid() const = 0;
  // How an image becomes the network image that encode() takes.
  virtual PrepareOptions preparation() const = 0;
  // Writes the grid of one network image, of which `area` shows the picture, to out [regions,
  // features]. Safe from many threads.
  virtual void encode(const Image& network_image, const PictureArea& area,
                      std::span<float> out) const = 0;
  // As Encoder::receptive_field(); also throws where it cannot be told.
  virtual ReceptiveField receptive_field() const = 0;
  // Names weights, layer and preprocessing: equal digests give equal grids.
  virtual std::string digest() const = 0;
};

}  // namespace saccade

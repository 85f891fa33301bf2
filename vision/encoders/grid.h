// What every encoder of images returns: a grid of feature vectors, one per region.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/nn/grid_shape.h"
#include "vision/encoders/image_classifier.h"
#include "vision/encoders/stored_network.h"
#include "vision/images/geometry.h"
#include "vision/images/receptive_field.h"

namespace saccade {

// An encoder whose weights never change, so that its grids can be computed once and kept.
class FrozenEncoder {
 public:
  virtual ~FrozenEncoder() = default;

  virtual GridShape grid() const = 0;
  // How an image is turned into the network image that encode() takes.
  virtual PrepareOptions preparation() const = 0;
  // Writes the grid of one network image to out [regions, features]; `area` is the part of it that
  // shows the picture. May be called from many threads at once.
  virtual void encode(const Image& network_image, const PictureArea& area,
                      std::span<float> out) const = 0;
  // The classes that the network was trained on; null where it has no classifier behind the last
  // layer of the grid. It is read from the network's file when it is first asked for.
  virtual const ImageClassifier* classifier() const { return nullptr; }
  // encode() of a network with a classifier, and the classes of the whole network image.
  virtual std::vector<SeenClass> encode_and_classify(const Image& network_image,
                                                     const PictureArea& area,
                                                     std::span<float> out) const {
    encode(network_image, area, out);
    throw InternalError("[encoder] no classifier");
  }
  // As Encoder::receptive_field(); also throws where the receptive field is not known.
  virtual ReceptiveField receptive_field() const = 0;
  // Identifies weights, layer and preprocessing: equal digests mean equal grids.
  virtual std::string digest() const = 0;
  // The network up to the grid, for a checkpoint that does without the file it came from.
  virtual StoredNetwork stored() const = 0;
};

}  // namespace saccade

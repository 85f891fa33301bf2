// The plain convolutional networks of Simonyan and Zisserman (2015), without batch normalisation.
#pragma once

#include "core/nn/conv2d.h"
#include "vision/encoders/backbones/backbone.h"

namespace saccade {

enum class VggDepth { k16, k19 };

struct VggOptions {
  VggDepth depth = VggDepth::k19;
  std::string stage{};  // the last stage: conv1 .. conv5; "": conv5
  // Several stages instead of one; never dilated, because the strides are those of pools.
  BackboneEnds ends{};
};

// A stage ends before its pool. So conv5 of 224 x 224 pixels is the grid of 14 x 14 cells that
// Show, Attend and Tell attends to (Xu et al. 2015).
class Vgg : public Backbone {
 public:
  // Declares features.0.weight, features.0.bias, features.2.weight, ... Throws UsageError.
  Vgg(const VggOptions& options, const PixelExtents& input, const ParamScope& scope);

 private:
  std::vector<Var> run(Tape& tape, Var pixels) const override;

  std::vector<std::vector<Conv2d>> convs_;  // one list per stage
};

}  // namespace saccade

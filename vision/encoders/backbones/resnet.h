// Residual networks (He et al. 2016) as torchvision has them: where a bottleneck shrinks the image,
// its 3 x 3 convolution has the stride.
#pragma once

#include "core/nn/conv_norm.h"
#include "vision/encoders/backbones/backbone.h"

namespace saccade {

enum class ResnetDepth { k18, k34, k50, k101 };

struct ResnetOptions {
  ResnetDepth depth = ResnetDepth::k18;
  BackboneEnds
      ends{};  // stem or layer1 .. layer4; where the last stage is dilated: layer2 .. layer4
};

// The stem reduces S pixels per side to S / 2, layer1 to S / 4, and each further layer halves them.
class Resnet : public Backbone {
 public:
  // Declares conv1.weight, bn1.weight, ..., layer1.0.conv1.weight, ... Throws UsageError.
  Resnet(const ResnetOptions& options, const ImageSize& input, const ParamScope& scope);

 private:
  struct Block {
    std::vector<ConvNorm> convs;
    // One convolution, or none where the block's input itself is added.
    std::vector<ConvNorm> shortcut;
  };
  std::vector<Var> run(Tape& tape, Var pixels) const override;
  struct LayerPlan {
    ResnetDepth depth;
    std::size_t number;
    LastStage strides;
  };
  GridShape add_layer(const ParamScope& scope, const LayerPlan& layer, GridShape image);

  ConvNorm stem_;
  std::vector<std::vector<Block>> layers_;
};

}  // namespace saccade

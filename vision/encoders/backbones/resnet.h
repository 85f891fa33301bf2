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

// What residual networks differ in. layer1 to layer4 have an entry each.
struct ResnetPlan {
  std::string name = "this residual network";  // for messages
  std::vector<Index> depths{2, 2, 2, 2};
  std::vector<Index> widths{64, 128, 256, 512};  // of each layer's result
  std::vector<Index> inner{64, 128, 256, 512};   // of each block's first convolution
  std::vector<Index> stem{64};  // channels of one convolution of 7 x 7, or of three of 3 x 3
  bool bottleneck = false;      // convolutions of 1 x 1, 3 x 3 and 1 x 1 instead of two of 3 x 3
  Index groups = 1;             // of the 3 x 3 convolution of a bottleneck (Xie et al. 2017)
  bool stride_first = false;    // a bottleneck's first convolution has the stride
  // Where a block shrinks the image, a mean of 2 x 2 stands before the shortcut, which then has no
  // stride (He et al. 2019, "ResNet-D").
  bool mean_shortcut = false;
  // The same for the block itself, and instead of the stem's pool (Radford et al. 2021, "CLIP").
  bool mean_strides = false;
  double epsilon = 1e-5;  // of the batch normalisations
};
ResnetPlan resnet_plan(ResnetDepth depth);

// The stem reduces S pixels per side to S / 2, layer1 to S / 4, and each further layer halves them.
class Resnet : public Backbone {
 public:
  // Declares conv1.weight, bn1.weight, ..., layer1.0.conv1.weight, ... Throws UsageError.
  Resnet(const ResnetOptions& options, const ImageSize& input, const ParamScope& scope);
  Resnet(const ResnetPlan& plan, const BackboneEnds& ends, const ImageSize& input,
         const ParamScope& scope);

 private:
  struct Block {
    std::vector<ConvNorm> convs;
    // Whether a mean of 2 x 2 stands before the last convolution, and before the shortcut.
    bool mean_before_last = false, mean_before_shortcut = false;
    // One convolution, or none where the block's input itself is added.
    std::vector<ConvNorm> shortcut;
  };
  std::vector<Var> run(Tape& tape, Var pixels) const override;
  static Var run_layer(Tape& tape, Var x, std::span<const Block> blocks);
  struct LayerPlan {
    const ResnetPlan& plan;
    std::size_t number;
    LastStage strides;
  };
  GridShape add_layer(const ParamScope& scope, const LayerPlan& layer, GridShape image);

  std::vector<ConvNorm> stem_;
  bool mean_pool_;  // behind the stem, instead of the largest numbers
  std::vector<std::vector<Block>> layers_;
};

}  // namespace saccade

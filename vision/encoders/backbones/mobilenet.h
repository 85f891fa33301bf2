// MobileNetV2 (Sandler et al. 2018): inverted residuals around depthwise convolutions.
#pragma once

#include "core/nn/conv_norm.h"
#include "vision/encoders/backbones/backbone.h"

namespace saccade {

struct MobileNetV2Options {
  double width = 1;     // a factor on all channel counts, which are then rounded to multiples of 8
  BackboneEnds ends{};  // stage1 .. stage5 or head
};

// Stage k reduces S pixels per side to S / 2^k; the head is a 1 x 1 convolution behind stage5.
class MobileNetV2 : public Backbone {
 public:
  // Declares features.0.0.weight, features.0.1.weight, ..., features.1.conv.0.0.weight, ...
  // Throws UsageError.
  MobileNetV2(const MobileNetV2Options& options, const ImageSize& input, const ParamScope& scope);

 private:
  struct Block {
    std::vector<ConvNorm> convs;
    bool residual;  // the block's input is added to its output
  };
  std::vector<Var> run(Tape& tape, Var pixels) const override;
  // One inverted residual: a convolution to `expansion` times as many channels, a depthwise
  // convolution, and one to `out` channels.
  struct BlockPlan {
    Index expansion, out, stride;
  };
  // The stride and dilation of a window with the block's stride, where the last stage is dilated.
  struct Steps {
    Index stride, dilation;
  };
  GridShape add_block(const ParamScope& scope, const BlockPlan& plan, const Steps& steps,
                      GridShape image);

  std::vector<std::vector<Block>> stages_;
};

}  // namespace saccade

// EfficientNet (Tan and Le 2019) and MobileNetV3 (Howard et al. 2019): inverted residuals whose
// channels are weighed by what the whole picture shows (squeeze and excitation, Hu et al. 2018).
#pragma once

#include <memory>

#include "core/ops/network_ops.h"
#include "vision/encoders/backbones/backbone.h"

namespace saccade {

// What follows a normalisation.
enum class InvertedActivation { kNone, kRelu, kSilu, kHardSwish };

struct InvertedBlockPlan {
  Index expanded = 0;  // channels between its convolutions
  bool expands = true;
  Index kernel = 3, stride = 1, out = 0;
  Index squeezed = 0;  // channels of its squeeze; 0: none
  bool residual = false;
  InvertedActivation activation = InvertedActivation::kSilu;
  Index before = 1, behind = 1;  // zeros around the picture
};

struct InvertedPlan {
  Index stem = 32, stem_kernel = 3, stem_before = 1, stem_behind = 1;
  InvertedActivation stem_activation = InvertedActivation::kSilu;
  std::vector<InvertedBlockPlan> blocks;
  Index head = 0;  // channels of the last convolution; 0: none
  InvertedActivation head_activation = InvertedActivation::kSilu;
  // Whether windows with a stride are padded by the extents that they meet, as TensorFlow does.
  bool same_padding = false;
  bool hard_gate = false;  // of the squeeze: hard sigmoid behind relu; else sigmoid behind silu
  double epsilon = 1e-5;   // of the batch normalisations
};

// Stages end where the grid is about to shrink, stage1 with the stem; the last is `head` where
// there is one.
class Inverted : public Backbone {
 public:
  Inverted(const InvertedPlan& plan, const BackboneEnds& ends, const ImageSize& input,
           const ParamScope& scope);
  ~Inverted() override;

 private:
  struct Layer;
  std::vector<Var> run(Tape& tape, Var pixels) const override;

  std::vector<std::vector<std::unique_ptr<Layer>>> stages_;
};

}  // namespace saccade

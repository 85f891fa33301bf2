// ConvNeXt (Liu et al. 2022) and its second version (Woo et al. 2023), as hubs publish them.
#pragma once

#include <array>
#include <memory>

#include "vision/encoders/backbones/backbone.h"

namespace saccade {

struct ConvnextPlan {
  Index patch = 4;                    // of the stem
  Index kernel = 7;                   // of the depthwise convolutions
  std::vector<Index> widths, depths;  // of each stage
  Index multiple = 4;                 // hidden width of a block
  bool layer_scale = true;
  bool response_norm = false;  // in the second version
  double epsilon = 1e-6;
};

// The stem cuts the picture into patches, and every stage but the first halves the grid. Its result
// has no normalisation.
class Convnext : public Backbone {
 public:
  Convnext(const ConvnextPlan& plan, const BackboneEnds& ends, const ImageSize& input,
           const ParamScope& scope);
  ~Convnext() override;

 private:
  struct Stage;
  std::vector<Var> run(Tape& tape, Var pixels) const override;

  std::vector<std::unique_ptr<Stage>> stages_;
};

}  // namespace saccade

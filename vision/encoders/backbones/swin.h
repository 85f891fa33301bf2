// Swin (Liu et al. 2021): tokens attend within windows, which every other block shifts.
#pragma once

#include <memory>

#include "core/nn/norms.h"
#include "vision/encoders/backbones/backbone.h"

namespace saccade {

class SwinEmbedding;

struct SwinPlan {
  Index patch = 4;
  bool patch_norm = true;
  // Of each stage; windows by their sides, hidden the width of the dense networks.
  std::vector<Index> widths, depths, heads, windows, hidden;
  double epsilon = 1e-5;
  // How packages differ where windows do not fill the grid: timm shifts the tokens before it pads
  // them, and transformers does not shift at all where a window covers one of the two axes.
  bool shift_first = false, shift_both = false;
};

// Each stage but the first halves the grid. The last stage's result is normalised.
class Swin : public Backbone {
 public:
  Swin(const SwinPlan& plan, const BackboneEnds& ends, const ImageSize& input,
       const ParamScope& scope);
  ~Swin() override;

 private:
  struct Stage;
  std::vector<Var> run(Tape& tape, Var pixels) const override;

  std::vector<std::unique_ptr<Stage>> stages_;
  std::unique_ptr<SwinEmbedding> embedding_;
  std::unique_ptr<LayerNorm> norm_;  // behind the last stage
};

}  // namespace saccade

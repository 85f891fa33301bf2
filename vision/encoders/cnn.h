// A small convolutional network whose last feature map is the grid.
#pragma once

#include <vector>

#include "core/nn/conv2d.h"
#include "core/nn/grid_positions.h"
#include "core/nn/norms.h"
#include "vision/encoders/encoder.h"

namespace saccade {

// One stage for each number of EncoderConfig::channels: a 3 x 3 convolution (stride 2 in the first
// three stages, 1 in the others), group normalisation and relu. Images of a batch do not affect
// each other.
class CnnEncoder : public Encoder {
 public:
  // Declares stage1.conv.weight, stage1.norm.gain, stage1.norm.shift, stage2... below `scope`.
  // Throws UsageError when there are no channels or no pixels.
  CnnEncoder(const EncoderConfig& config, const ParamScope& scope);

  Var forward(Tape& tape, Var pixels) const override;
  GridShape grid() const override { return grid_; }
  ReceptiveField receptive_field() const override { return field_; }
  Shape input_shape() const override { return {height_, width_, 3}; }
  std::vector<EncoderStage> stages() const override;

 private:
  struct Stage {
    Conv2d conv;
    GroupNorm norm;
  };
  Index height_, width_;
  std::vector<Stage> stages_;
  GridShape grid_;
  ReceptiveField field_;
  GridPositions positions_;
};

}  // namespace saccade

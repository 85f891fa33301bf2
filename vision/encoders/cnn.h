// The trainable encoder: a small convolutional network whose last feature map is the grid.
#pragma once

#include <vector>

#include "core/config/encoder_config.h"
#include "core/nn/conv2d.h"
#include "core/nn/grid_positions.h"
#include "core/nn/norms.h"
#include "vision/encoders/grid.h"

namespace saccade {

// A stage for each number of EncoderConfig::channels: a 3 x 3 convolution (stride 2 in the first
// three stages, 1 after), group normalisation and relu. It never looks across a batch.
class CnnEncoder {
 public:
  // Declares stage1.conv.weight, stage1.norm.gain, stage1.norm.shift, stage2... below `scope`.
  // Throws UsageError when there is no channel or no pixel.
  CnnEncoder(const EncoderConfig& config, const ParamScope& scope);

  // Normalised pixels [B, S, S, 3] with S = image_size -> features [B, L, D].
  Var forward(Tape& tape, Var pixels) const;
  // The grid that forward() gives, with what the positions add.
  GridShape grid() const { return grid_; }
  Shape input_shape() const { return {image_size_, image_size_, 3}; }

 private:
  struct Stage {
    Conv2d conv;
    GroupNorm norm;
  };
  Index image_size_;
  std::vector<Stage> stages_;
  GridShape grid_;
  GridPositions positions_;
};

}  // namespace saccade

// Grids of several layers of one network as one grid: what encoder.layers and encoder.normalize ask
// for.
#pragma once

#include <span>
#include <vector>

#include "core/autograd/tape.h"
#include "core/config/encoder_config.h"
#include "core/nn/grid_positions.h"
#include "vision/encoders/grid.h"

namespace saccade {

// Throws UsageError where both encoder.layer and encoder.layers are set, a layer is named twice, or
// keys or values name what is none of the layers.
void check_layers(const EncoderConfig& config);

// Each layer's vectors are normalised, its grid is brought to the extents of the finest, and a
// region has the channels of all layers, in their order.
class GridFusion {
 public:
  // Throws UsageError, naming layers by `names`, where no layer has the most rows and columns.
  GridFusion(std::vector<GridExtents> layers, std::span<const std::string> names, FeatureNorm norm);

  // With the channels of each layer in GridShape::widths where there are several.
  GridShape grid() const;
  // The layer whose cells are those of the grid: the first of those with the finest. What a region
  // shows of it is where the region is; coarser layers add what a wider surrounding holds.
  std::size_t finest() const { return finest_; }
  // Features [B, rows, cols, D_k] of every layer -> [B, L, D].
  Var operator()(Tape& tape, std::span<const Var> layers) const;

 private:
  std::vector<GridExtents> layers_;
  FeatureNorm norm_;
  std::size_t finest_ = 0;
};

}  // namespace saccade

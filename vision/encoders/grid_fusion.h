// Joins the grids of several layers of one network into one grid, as encoder.layers and
// encoder.normalize ask for.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/autograd/tape.h"
#include "core/nn/grid_positions.h"
#include "vision/encoders/encoder_config.h"
#include "vision/encoders/grid.h"

namespace saccade {

// Throws UsageError where both encoder.layer and encoder.layers are set, a layer is named twice, or
// encoder.keys or encoder.values names something that is not one of the layers.
void check_layers(const EncoderConfig& config);

// Normalises the vectors of each layer, brings its grid to the extents of the finest one, and gives
// a region the channels of all layers, in their order.
class GridFusion {
 public:
  // Throws UsageError, which names layers by `names`, where no layer has both the most rows and the
  // most columns.
  GridFusion(std::vector<GridShape> layers, std::span<const std::string> names, FeatureNorm norm);

  // The joined grid; where there are several layers, GridShape::widths has the channels of each.
  GridShape grid() const;
  // The layer whose cells are those of the grid: the first layer with the finest grid. Its part of
  // a region's features shows the place of the region; coarser layers add a wider surrounding.
  std::size_t finest() const { return finest_; }
  // Features [B, rows, cols, D_k] of every layer -> [B, L, D]. `areas` [B] are the parts of the
  // inputs that show the pictures; empty: all of each input does. A coarser layer is interpolated
  // between its cells that show some of the picture, so that padding is not mixed into regions that
  // count.
  Var operator()(Tape& tape, std::span<const Var> layers,
                 std::span<const PictureArea> areas = {}) const;

 private:
  std::vector<GridShape> layers_;
  FeatureNorm norm_;
  std::size_t finest_ = 0;
};

}  // namespace saccade

#include "vision/encoders/grid_fusion.h"

#include <algorithm>
#include <set>

#include "core/base/error.h"
#include "core/base/suggest.h"
#include "core/nn/norms.h"
#include "core/ops/shape_ops.h"
#include "core/ops/upsample.h"

namespace saccade {

void check_layers(const EncoderConfig& config) {
  if (!config.layers.empty() && !config.layer.empty())
    throw UsageError(
        str("encoder.layer is '", config.layer,
            "' and encoder.layers names layers, too: only one of the two can define the grid; name "
            "all layers in encoder.layers and leave encoder.layer empty"));
  std::set<std::string> seen;
  for (const std::string& layer : config.layers)
    if (!seen.insert(layer).second)
      throw UsageError(str("encoder.layers names '", layer,
                           "' twice, which would give every region the same channels twice; name "
                           "it once"));
  const auto check_part = [&](const std::string& key, const std::vector<std::string>& names) {
    for (const std::string& name : names)
      if (!seen.contains(name))
        throw UsageError(str("encoder.", key, ": '", name, "' is none of encoder.layers",
                             did_you_mean(name, config.layers),
                             "; name some of those, or leave it empty for all"));
  };
  check_part("keys", config.keys);
  check_part("values", config.values);
}

GridFusion::GridFusion(std::vector<GridShape> layers, std::span<const std::string> names,
                       FeatureNorm norm)
    : layers_(std::move(layers)), norm_(norm) {
  SACCADE_ASSERT(!layers_.empty() && names.size() == layers_.size(), layers_.size(), " layers of ",
                 names.size(), " names");
  for (std::size_t i = 1; i < layers_.size(); ++i)
    if (layers_[i].cells() > layers_[finest_].cells()) finest_ = i;
  const GridSize& to = layers_[finest_];
  for (std::size_t i = 0; i < layers_.size(); ++i)
    if (layers_[i].rows > to.rows || layers_[i].cols > to.cols)
      throw UsageError(str("encoder.layers: '", names[i], "' has ", layers_[i].rows, " x ",
                           layers_[i].cols, " cells and '", names[finest_], "' ", to.rows, " x ",
                           to.cols, ", so that neither is the finer grid; leave one of them out"));
}

GridShape GridFusion::grid() const {
  GridShape grid{layers_[finest_], 0};
  for (const GridShape& layer : layers_) {
    grid.features += layer.features;
    if (layers_.size() > 1) grid.widths.push_back(layer.features);
  }
  return grid;
}

Var GridFusion::operator()(Tape& tape, std::span<const Var> layers,
                           std::span<const PictureArea> areas) const {
  SACCADE_ASSERT(layers.size() == layers_.size(), layers.size(), " layers for ", layers_.size());
  const GridSize& to = layers_[finest_];
  const Index batch = layers[0].shape()[0], regions = to.cells();
  std::vector<Var> rows;  // [B L, D_k]
  Index width = 0;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    Var x = layers[i];
    if (norm_ == FeatureNorm::kLayerNorm) x = standardized(tape, x);
    if (const GridSize& own = layers_[i]; own != to) {
      std::vector<CellBlock> shown;
      for (const PictureArea& area : areas) shown.push_back(picture_cells(area, own));
      x = ops::upsample(x, to, shown);
    }
    width += layers_[i].features;
    rows.push_back(ops::reshape(x, {batch * regions, layers_[i].features}));
  }
  return ops::reshape(rows.size() == 1 ? rows[0] : ops::concat_cols(rows), {batch, regions, width});
}

}  // namespace saccade

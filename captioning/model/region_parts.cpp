#include "captioning/model/region_parts.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/ops/shape_ops.h"

namespace saccade {

namespace {

// The columns of the layers that `names` selects, in the order of the layers; all columns where it
// is empty.
std::vector<ColumnRange> columns_of(const std::vector<std::string>& names,
                                    const std::vector<std::string>& layers, const GridShape& grid) {
  std::vector<ColumnRange> columns;
  const auto add = [&](Index first, Index count) {
    if (count == 0) return;
    if (!columns.empty() && columns.back().first + columns.back().count == first)
      columns.back().count += count;
    else
      columns.push_back({.first = first, .count = count});
  };
  // A single layer has no widths of its own, because it is the whole.
  if (names.empty() || grid.widths.empty()) {
    add(0, grid.features);
    return columns;
  }
  SACCADE_ASSERT(grid.widths.size() == layers.size(), grid.widths.size(), " widths of ",
                 layers.size(), " layers");
  Index first = 0;
  for (std::size_t i = 0; i < layers.size(); first += grid.widths[i++])
    if (std::find(names.begin(), names.end(), layers[i]) != names.end()) add(first, grid.widths[i]);
  add(first, grid.features - first);
  return columns;
}

Index width_of(const std::vector<ColumnRange>& columns) {
  Index width = 0;
  for (const ColumnRange& range : columns) width += range.count;
  return width;
}

// [..., D] -> [..., width of the columns]
Var picked(Var x, const std::vector<ColumnRange>& columns) {
  const Shape shape = x.shape();
  if (width_of(columns) == shape[-1]) return x;
  const Var rows = ops::reshape(x, {shape.size() / shape[-1], shape[-1]});
  std::vector<Var> parts;
  for (const ColumnRange& range : columns)
    parts.push_back(ops::slice_cols(rows, range.first, range.count));
  const Var joined = parts.size() == 1 ? parts[0] : ops::concat_cols(parts);
  return shape.rank() == 2 ? joined : ops::reshape(joined, {shape[0], shape[1], joined.shape()[1]});
}

}  // namespace

RegionParts::RegionParts(const ParamScope& scope, const EncoderConfig& config,
                         const GridShape& grid)
    : value_columns_(columns_of(config.values, config.layers, grid)),
      key_columns_(columns_of(config.keys, config.layers, grid)) {
  const bool chosen = !config.keys.empty() || !config.values.empty();
  if (key_columns_ == value_columns_ && !(chosen && config.project > 0)) key_columns_.clear();
  features_ = width_of(value_columns_);
  keys_ = width_of(key_columns_);
  if (config.project == 0) return;
  value_map_.emplace(scope.sub("values"), DenseWidths{.in = features_, .out = config.project});
  features_ = config.project;
}

void RegionParts::apply(Tape& tape, EncodedImages& images) const {
  const auto values = [&](Var x) {
    const Var chosen = picked(x, value_columns_);
    return value_map_ ? (*value_map_)(tape, chosen) : chosen;
  };
  if (keys_ > 0) images.keys = picked(images.features, key_columns_);
  images.features = values(images.features);
  if (images.pooled) images.pooled = values(images.pooled);
}

}  // namespace saccade

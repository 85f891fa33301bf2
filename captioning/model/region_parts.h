// Which parts of an encoder's regions attention scores, and which parts contexts are made from:
// encoder.keys, values and project.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "captioning/model/decoders/encoded_images.h"
#include "core/nn/dense.h"
#include "vision/encoders/encoder_config.h"
#include "vision/encoders/grid.h"

namespace saccade {

// Columns of the features that stand side by side.
struct ColumnRange {
  Index first = 0, count = 0;
  bool operator==(const ColumnRange&) const = default;
};

class RegionParts {
 public:
  // Makes the parts of a grid whose layers have the channels GridShape::widths. Channels without a
  // layer, which positions append, belong to keys and to values. Declares values.weight and
  // values.bias in `scope` where config.project is set. They project what is scored only where
  // config.keys and config.values are both empty, because attention has a linear map of its own.
  // Keys and values have been checked (check_layers).
  RegionParts(const ParamScope& scope, const EncoderConfig& config, const GridShape& grid);

  Index features() const { return features_; }  // width of a region that contexts are made from
  Index keys() const { return keys_; }  // width of its key; 0: attention scores the features
  // Replaces the features, keys and pooled vectors of `images`.
  void apply(Tape& tape, EncodedImages& images) const;

 private:
  std::vector<ColumnRange> value_columns_, key_columns_;
  std::optional<Dense> value_map_;
  Index features_ = 0, keys_ = 0;
};

}  // namespace saccade

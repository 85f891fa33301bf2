// What of an encoder's regions attention scores and what contexts are made of: encoder.keys, values
// and project.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "captioning/decoders/encoded_images.h"
#include "core/config/encoder_config.h"
#include "core/nn/dense.h"
#include "vision/encoders/grid.h"

namespace saccade {

// Columns of the features that lie side by side.
struct ColumnRange {
  Index first = 0, count = 0;
  bool operator==(const ColumnRange&) const = default;
};

class RegionParts {
 public:
  // Of a grid whose layers' channels are GridShape::widths; channels without a layer, which
  // positions append, belong to keys and values. Declares values.weight and values.bias in `scope`
  // where config.project is set. What is scored is projected with them only where config.keys and
  // config.values are both empty: attention has a linear map of its own. Keys and values have been
  // checked (check_layers).
  RegionParts(const ParamScope& scope, const EncoderConfig& config, const GridShape& grid);

  Index features() const { return features_; }  // of a region, that contexts are made of
  Index keys() const { return keys_; }          // of its key; 0: the features are scored
  // Replaces features, keys and pooled.
  void apply(Tape& tape, EncodedImages& images) const;

 private:
  std::vector<ColumnRange> value_columns_, key_columns_;
  std::optional<Dense> value_map_;
  Index features_ = 0, keys_ = 0;
};

}  // namespace saccade

// Packs attention maps for pages, with one byte per weight.
#pragma once

#include <string>

#include "core/attention/map.h"

namespace saccade {

// One scale for several maps: a weight is low + (high - low) byte / 255, so its error is at most
// (high - low) / 510.
class MapPacking {
 public:
  float low() const { return low_; }  // 0 unless a weight is negative
  float high() const { return high_; }

  // Widens the scale to the weights of a map. Throws ShapeError where one is not a finite number.
  void include(const AttentionMap& map);
  // The bytes of a map that was included, one per weight, in base64.
  std::string packed(const AttentionMap& map) const;

 private:
  float low_ = 0, high_ = 0;
};

}  // namespace saccade

// A caption's attention maps in a byte a weight, as the page of a report takes them.
#pragma once

#include <string>
#include <vector>

#include "core/base/real.h"

namespace saccade {

// Maps of one caption: [words] of [layers * heads] of [regions].
struct MapStack {
  Index layers = 1, heads = 1;
  std::vector<std::vector<std::vector<float>>> words;
};

// A weight is low + (high - low) byte / 255, so that it is off by at most (high - low) / 510.
struct PackedMaps {
  float low = 0, high = 0;  // low is 0 unless a weight is negative
  std::string bytes;        // base64 of [words][layers][heads][regions]
};

// Throws ShapeError where maps differ in size or a weight is no finite number.
PackedMaps pack_maps(const MapStack& maps);

}  // namespace saccade

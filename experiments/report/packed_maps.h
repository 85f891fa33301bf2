// Packs the attention maps of a caption for the page of a report, with one byte per weight.
#pragma once

#include <string>
#include <vector>

#include "core/base/real.h"

namespace saccade {

// The maps of one caption: [words][layers * heads][regions].
struct MapStack {
  Index layers = 1, heads = 1;
  std::vector<std::vector<std::vector<float>>> words;
};

// A weight is low + (high - low) byte / 255, so its error is at most (high - low) / 510.
struct PackedMaps {
  float low = 0, high = 0;  // low is 0 unless a weight is negative
  std::string bytes;        // [words][layers][heads][regions] in base64
};

// Throws ShapeError where the maps differ in size or a weight is not a finite number.
PackedMaps pack_maps(const MapStack& maps);

}  // namespace saccade

#include "captioning/model/maps/packed_maps.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/io/base64.h"

namespace saccade {

void MapPacking::include(const AttentionMap& map) {
  for (const float weight : map.weights) {
    SACCADE_CHECK(std::isfinite(weight), "[packed maps] a weight is not a finite number");
    low_ = std::min(low_, weight);
    high_ = std::max(high_, weight);
  }
}

std::string MapPacking::packed(const AttentionMap& map) const {
  const float scale = high_ > low_ ? 255 / (high_ - low_) : 0;
  std::vector<std::uint8_t> bytes;
  bytes.reserve(map.weights.size());
  for (const float weight : map.weights)
    bytes.push_back(static_cast<std::uint8_t>(std::lround((weight - low_) * scale)));
  return base64(bytes);
}

}  // namespace saccade

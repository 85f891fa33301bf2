#include "experiments/report/packed_maps.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/io/base64.h"

namespace saccade {

PackedMaps pack_maps(const MapStack& maps) {
  PackedMaps out;
  const auto views = static_cast<std::size_t>(maps.layers * maps.heads);
  std::vector<float> weights;
  for (const auto& word : maps.words) {
    SACCADE_CHECK(word.size() == views, "[pack_maps] a word has ", word.size(), " maps; expected ",
                  maps.layers, " x ", maps.heads);
    for (const std::vector<float>& map : word) {
      SACCADE_CHECK(map.size() == maps.words[0][0].size(), "[pack_maps] maps of ",
                    maps.words[0][0].size(), " and of ", map.size(), " regions");
      weights.insert(weights.end(), map.begin(), map.end());
    }
  }
  for (const float weight : weights) {
    SACCADE_CHECK(std::isfinite(weight), "[pack_maps] a weight is not a finite number");
    out.low = std::min(out.low, weight);
    out.high = std::max(out.high, weight);
  }
  const float scale = out.high > out.low ? 255 / (out.high - out.low) : 0;
  std::vector<std::uint8_t> bytes;
  bytes.reserve(weights.size());
  for (const float weight : weights)
    bytes.push_back(static_cast<std::uint8_t>(std::lround((weight - out.low) * scale)));
  out.bytes = base64(bytes);
  return out;
}

}  // namespace saccade

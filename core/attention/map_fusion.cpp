#include "core/attention/map_fusion.h"

#include <algorithm>

#include "core/base/error.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

Tensor fused(std::span<const ConstView> maps, Fusion fusion) {
  SACCADE_CHECK(!maps.empty(), "[fusion] there is no map");
  Tensor out(maps[0].shape, maps[0].span());
  for (const ConstView map : maps.subspan(1)) {
    SACCADE_CHECK(map.shape == out.shape(), "[fusion] maps differ in shape: ", out.shape(), " and ",
                  map.shape);
    for (Index i = 0; i < out.size(); ++i) {
      if (fusion == Fusion::kMean) out[i] += map[i];
      if (fusion == Fusion::kMax) out[i] = std::max(out[i], map[i]);
      if (fusion == Fusion::kMin) out[i] = std::min(out[i], map[i]);
    }
  }
  if (fusion == Fusion::kMean)
    for (Real& x : out.span()) x /= static_cast<Real>(maps.size());
  return out;
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade

#include "core/attention/head_profile.h"

#include <cmath>

#include "core/base/error.h"
#include "core/base/mean.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

HeadProfile profile_of(ConstView map, const UnmaskedPart& part) {
  SACCADE_CHECK(map.shape.rank() == 2 && map.size() > 0, "[head profile] a map is [T, L]; got ",
                map.shape);
  const Index rows = map.rows(), columns = map.cols();
  const Index weighed = part.columns > 0 ? part.columns : columns;
  Mean previous, next, first, diagonal, entropy;
  for (Index t = 0; t < rows; ++t) {
    if (!part.rows.empty() && part.rows[static_cast<std::size_t>(t)] == 0) continue;
    const Real* row = map.row(t);
    double total = 0;
    for (Index l = 0; l < columns; ++l) total += std::abs(static_cast<double>(row[l]));
    SACCADE_CHECK(std::isfinite(total), "[head profile] row ", t, " has no finite sum");
    const auto share = [&](Index l) {
      return total > 0 ? std::abs(static_cast<double>(row[l])) / total : 0;
    };
    if (t >= 1 && t - 1 < columns) previous.add(share(t - 1));
    if (t + 1 < columns) next.add(share(t + 1));
    if (t >= 1) first.add(share(0));
    if (t < columns) diagonal.add(share(t));
    double nats = 0;
    for (Index l = 0; l < columns; ++l)
      if (const double p = share(l); p > 0) nats -= p * std::log(p);
    entropy.add(weighed > 1 ? nats / std::log(static_cast<double>(weighed)) : 0);
  }
  return {.previous = previous.value(),
          .next = next.value(),
          .first = first.value(),
          .diagonal = diagonal.value(),
          .entropy = entropy.value(),
          .maps = 1};
}

HeadProfile merged(const HeadProfile& a, const HeadProfile& b) {
  const Index maps = a.maps + b.maps;
  const auto mean = [&](double x, double y) {
    return maps == 0 ? 0
                     : (x * static_cast<double>(a.maps) + y * static_cast<double>(b.maps)) /
                           static_cast<double>(maps);
  };
  return {.previous = mean(a.previous, b.previous),
          .next = mean(a.next, b.next),
          .first = mean(a.first, b.first),
          .diagonal = mean(a.diagonal, b.diagonal),
          .entropy = mean(a.entropy, b.entropy),
          .maps = maps};
}

HeadKind kind_of(const HeadProfile& profile) {
  struct Named {
    HeadKind kind;
    double share;
  };
  Named best{HeadKind::kPrevious, profile.previous};
  for (const Named& other :
       {Named{HeadKind::kNext, profile.next}, Named{HeadKind::kFirst, profile.first},
        Named{HeadKind::kDiagonal, profile.diagonal}})
    if (other.share > best.share) best = other;
  if (best.share >= kNamedShare) return best.kind;
  return profile.entropy >= kBroadEntropy ? HeadKind::kBroad : HeadKind::kMixed;
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade

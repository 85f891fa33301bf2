#include "core/attention/head_profile.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/error.h"
#include "core/base/mean.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

namespace {

// Whether row t of a map counts.
bool counts(const UnmaskedPart& part, Index t) {
  if (part.causal && t == 0) return false;
  return part.rows.empty() || part.rows[static_cast<std::size_t>(t)] != 0;
}

}  // namespace

HeadProfile profile_of(ConstView map, const UnmaskedPart& part) {
  SACCADE_CHECK(map.shape.rank() == 2 && map.size() > 0, "[head profile] a map is [T, L]; got ",
                map.shape);
  const Index rows = map.rows(), columns = map.cols();
  const Index weighed = part.columns > 0 ? part.columns : columns;
  Mean previous, next, first, diagonal, entropy;
  for (Index t = 0; t < rows; ++t) {
    if (!counts(part, t)) continue;
    const Real* row = map.row(t);
    double total = 0;
    for (Index l = 0; l < columns; ++l) total += std::abs(static_cast<double>(row[l]));
    SACCADE_CHECK(std::isfinite(total), "[head profile] row ", t, " has no finite sum");
    const auto share = [&](Index l) {
      return total > 0 ? std::abs(static_cast<double>(row[l])) / total : 0;
    };
    if (t >= 1 && t - 1 < columns) previous.add(share(t - 1));
    if (t + 1 < columns && !part.causal) next.add(share(t + 1));
    if (t >= 1) first.add(share(0));
    if (t < columns) diagonal.add(share(t));
    double nats = 0;
    for (Index l = 0; l < columns; ++l)
      if (const double p = share(l); p > 0) nats -= p * std::log(p);
    const Index most = part.causal ? std::min(t + 1, weighed) : weighed;
    entropy.add(most > 1 ? nats / std::log(static_cast<double>(most)) : 0);
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

double content_between(const MaskedMap& a, const MaskedMap& b) {
  const Index rows = std::min(a.map.rows(), b.map.rows());
  const Index columns = std::min(a.map.cols(), b.map.cols());
  const auto seen = [](const MaskedMap& one, Index l) {
    return one.seen.empty() || one.seen[static_cast<std::size_t>(l)] != 0;
  };
  Mean elsewhere;
  for (Index t = 0; t < rows; ++t) {
    if (!counts(a.part, t) || !counts(b.part, t)) continue;
    double total_a = 0, total_b = 0, apart = 0;
    const auto each = [&](const auto& use) {
      for (Index l = 0; l < columns; ++l)
        if (seen(a, l) && seen(b, l))
          use(std::abs(static_cast<double>(a.map.row(t)[l])),
              std::abs(static_cast<double>(b.map.row(t)[l])));
    };
    each([&](double x, double y) { total_a += x, total_b += y; });
    if (!(total_a > 0) || !(total_b > 0)) continue;
    each([&](double x, double y) { apart += std::abs(x / total_a - y / total_b); });
    elsewhere.add(apart / 2);
  }
  return elsewhere.count > 0 ? elsewhere.value() : std::numeric_limits<double>::quiet_NaN();
}

HeadKind kind_of(const HeadProfile& profile, std::optional<double> content) {
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
  if (content && *content >= kContentShare) return HeadKind::kContent;
  return profile.entropy >= kBroadEntropy ? HeadKind::kBroad : HeadKind::kMixed;
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade

#include "core/attention/scopes/scope.h"

#include <algorithm>
#include <cmath>

#include "core/ops/normalizers.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

Var mask_regions(Tape& tape, const AttentionMemory& memory, Var scores, const RegionTest& test) {
  const Var mask = memory.layout.mask;
  if (!mask && !test) return scores;
  const Index regions = memory.regions(), rows = scores.rows(), cols = scores.cols();
  const auto size = static_cast<std::size_t>(rows * cols);
  const std::span<std::uint8_t> allowed(tape.arena().allocate_array<std::uint8_t>(size), size);
  for (Index r = 0; r < rows; ++r) {
    const Real* seen = mask ? mask.value().row(r / memory.layout.group) : nullptr;
    std::uint8_t* row = allowed.data() + r * cols;
    bool any = false;
    for (Index l = 0; l < regions; ++l) {
      row[l] = (!seen || seen[l] != 0) && (!test || test(l));
      any |= row[l] != 0;
    }
    if (!any)
      for (Index l = 0; l < regions; ++l) row[l] = !seen || seen[l] != 0;
    std::fill(row + regions, row + cols, std::uint8_t{1});
  }
  return ops::mask_scores(scores, allowed);
}

Weighed Scope::weigh_near(Tape& tape, const AttentionMemory& memory, const NearRegions&,
                          const ScopeRequest& request) const {
  return normalised(request, mask_regions(tape, memory, request.scores, nullptr));
}

// Copying the keys and values of a region costs about as much as scoring it.
bool few_regions(const AttentionMemory& memory, Index most) { return 4 * most <= memory.regions(); }

NearRegions near_window(const AttentionMemory& memory, Index rows, const RegionTest& test,
                        Index most) {
  NearRegions near;
  if (!few_regions(memory, most)) return near;
  for (Index l = 0; l < memory.regions(); ++l)
    if (test(l)) near.regions.push_back(static_cast<int>(l));
  if (const Var mask = memory.layout.mask) {
    const Index group = memory.layout.group;
    for (Index m = 0; m * group < rows; ++m)
      if (std::none_of(near.regions.begin(), near.regions.end(),
                       [&](int l) { return mask.value().row(m)[l] != 0; }))
        return {};
  }
  near.count = static_cast<Index>(near.regions.size());
  return near;
}

RegionTest moving_window(const AttentionMemory& memory, Index step, double pace, Index radius) {
  const Index cols = memory.layout.grid.cols;
  const Index centre = std::min(static_cast<Index>(std::floor(pace * static_cast<double>(step))),
                                memory.regions() - 1);
  return [=](Index region) {
    return std::abs(region / cols - centre / cols) <= radius &&
           std::abs(region % cols - centre % cols) <= radius;
  };
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade

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

// The map of a word, from the scores that the regions of a grid have for it.
#pragma once

#include <span>
#include <vector>

#include "core/base/grid_size.h"
#include "core/tensor/shape.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

struct ScoreMapOptions {
  double sharpness = 3;
  double smoothing = 0;  // deviation of a Gaussian over neighbouring cells, in cells; 0: none
  double centre = 0;     // deviation of a Gaussian around the middle of the picture, as a share of
                         // its sides; 0: none
  GridSize grid{};       // read where smoothing or centre are above 0
};

// Writes softmax_l(sharpness s_l + log g_l) over the unmasked regions l to out [L], and 0 for the
// others. s are the scores or, with smoothing, their means over neighbours weighted by its
// Gaussian. g is the Gaussian around the middle of the unmasked regions, or 1. scores [L]; mask
// [L] is 0 for masked regions; empty: no region is masked.
void score_map(std::span<const double> scores, std::span<const Real> mask,
               const ScoreMapOptions& options, std::span<Real> out);

}  // namespace SACCADE_NUMERIC
}  // namespace saccade

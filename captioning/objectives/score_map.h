// A word's map from how far each region of a grid speaks for the word.
#pragma once

#include <span>
#include <vector>

#include "core/tensor/shape.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

struct ScoreMapOptions {
  double sharpness = 3;
  double smoothing = 0;      // deviation of a Gaussian over neighbouring cells, in cells; 0: none
  double centre = 0;         // deviation of a Gaussian around the middle of the picture, as a share
                             // of its sides; 0: none
  Index rows = 0, cols = 0;  // of the grid; read where smoothing or centre are above 0
};

// softmax_l(sharpness s_l + log g_l) over the regions l that count, to out [L]; 0 for the others.
// s are the scores, each the mean of its neighbours' under the smoothing Gaussian where that is
// asked for; g is the Gaussian around the middle of the regions that count, or 1.
// scores [L]; counts [L] is 0 for regions that do not count, or empty: all count.
void score_map(std::span<const double> scores, std::span<const Real> counts,
               const ScoreMapOptions& options, std::span<Real> out);

}  // namespace SACCADE_NUMERIC
}  // namespace saccade

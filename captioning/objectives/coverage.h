// What the penalty of objective.coverage penalises in a caption's maps, and the least it can be.
#pragma once

#include "core/config/coverage_config.h"
#include "core/tensor/shape.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// What every region's weights over a caption of `words` words should sum to; `regions` count.
double coverage_target(const CoverageConfig& coverage, Index words, Index regions);

// The least value of the penalty for a caption of T words over L regions. The weights of all words
// together are T, so it is least where every region gets T/L: (L - T)^2 / L of `one`, 0 of `even`,
// L max(0, tau - T/L)^2 of `at_least`; divided by L where the scale is `mean`.
double penalty_floor(const CoverageConfig& coverage, Index words, Index regions);

}  // namespace SACCADE_NUMERIC
}  // namespace saccade

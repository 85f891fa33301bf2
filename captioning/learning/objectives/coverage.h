// What the penalty of objective.coverage demands of a caption's maps, and the least value that it
// can have.
#pragma once

#include "captioning/learning/objectives/coverage_config.h"
#include "core/tensor/shape.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// What the weights of every region should sum to over a caption of `words` words; `regions` count.
double coverage_target(const CoverageConfig& coverage, Index words, Index regions);

// The least value of the penalty for a caption of T words over L regions. All words together have
// weight T, so it is least where every region gets T/L: (L - T)^2 / L for `one`, 0 for `even`, and
// L max(0, tau - T/L)^2 for `at_least`, each divided by L where the scale is `mean`.
double penalty_floor(const CoverageConfig& coverage, Index words, Index regions);

}  // namespace SACCADE_NUMERIC
}  // namespace saccade

// Joins several maps of the same thing, from heads or from layers, into one.
#pragma once

#include <span>

#include "core/base/enum_names.h"
#include "core/tensor/tensor.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// How maps are joined.
enum class Fusion { kMean, kMax, kMin };
// The names of the ways.
constexpr auto enum_table(Fusion) {
  using enum Fusion;
  return enum_rows<Fusion>({{kMean, "mean", "the mean of the maps"},
                            {kMax, "max", "the largest weight of any map"},
                            {kMin, "min", "the smallest weight of any map"}});
}

// Joins the maps element by element; all have the same shape. The rows of a mean sum to the mean of
// the maps' row sums, those of a maximum to at least that and those of a minimum to at most that.
// Throws ShapeError without maps and where their shapes differ.
Tensor fused(std::span<const ConstView> maps, Fusion fusion);

}  // namespace SACCADE_NUMERIC
}  // namespace saccade

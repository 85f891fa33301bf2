// Several maps of the same thing, of heads or of layers, as one.
#pragma once

#include <span>

#include "core/base/enum_names.h"
#include "core/tensor/tensor.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

enum class Fusion { kMean, kMax, kMin };
constexpr auto enum_table(Fusion) {
  using enum Fusion;
  return enum_rows<Fusion>({{kMean, "mean", "the mean of the maps"},
                            {kMax, "max", "the largest weight of any map"},
                            {kMin, "min", "the smallest weight of any map"}});
}

// Element by element, over maps of one shape. Rows of a mean sum to what those of the maps do on
// average; rows of a maximum to more and of a minimum to less. Throws ShapeError without maps or
// where their shapes differ.
Tensor fused(std::span<const ConstView> maps, Fusion fusion);

}  // namespace SACCADE_NUMERIC
}  // namespace saccade

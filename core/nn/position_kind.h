// What the regions of a grid know about where they are.
#pragma once

#include "core/base/enum_names.h"

namespace saccade {

enum class PositionKind { kNone, kCoordinates, kSinusoidal, kLearned };
constexpr auto enum_table(PositionKind) {
  using enum PositionKind;
  return enum_rows<PositionKind>({
      {kNone, "none", "no information about places"},
      {kCoordinates, "coordinates", "row and column appended to the features"},
      {kSinusoidal, "sinusoidal", "2-D sines and cosines added to the features"},
      {kLearned, "learned", "one learned vector per region, added to the features"},
  });
}

}  // namespace saccade

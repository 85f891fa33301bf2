// What the regions of a grid know about where they are.
#pragma once

#include "core/base/enum_names.h"

namespace saccade {

enum class PositionKind { kNone, kCoordinates, kSinusoidal, kSinusoidal2d, kLearned };
constexpr auto enum_table(PositionKind) {
  using enum PositionKind;
  return enum_rows<PositionKind>({
      {kNone, "none", "no information about places"},
      {kCoordinates, "coordinates", "row and column appended to the features"},
      {kSinusoidal, "sinusoidal",
       "2-D sines and cosines added to the features, four channels for each of the wavelengths, a "
       "geometric series from 2 pi to 20,000 pi cells; up to three channels at the end stay as "
       "they "
       "are"},
      {kSinusoidal2d, "sinusoidal_2d",
       "2-D sines and cosines added to the features by the published formula, sin and cos of "
       "position / 10000^(2i/d): the first half of the channels for the row, the other for the "
       "column, of any width"},
      {kLearned, "learned", "one learned vector per region, added to the features"},
  });
}

}  // namespace saccade

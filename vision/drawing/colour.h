// Colours for numbers: the colour maps, and which weight gets the hottest colour.
#pragma once

#include <array>
#include <cstdint>

#include "core/base/enum_names.h"

namespace saccade {

using Colour = std::array<std::uint8_t, 3>;  // R, G, B

inline constexpr Colour kInk{32, 32, 36};         // of text
inline constexpr Colour kSoftInk{110, 110, 118};  // of text that is less important
inline constexpr Colour kBlack{0, 0, 0};          // of frames on photos
inline constexpr Colour kWhite{255, 255, 255};    // of text on photos

// Which weight is full heat, the hottest colour. The cold end is always weight 0, so that flat maps
// look flat.
enum class HeatScale { kShared, kPerWord, kFixed };
// The names of the scales.
constexpr auto enum_table(HeatScale) {
  return enum_rows<HeatScale>(
      {{HeatScale::kShared, "shared", "the largest weight of the whole picture"},
       {HeatScale::kPerWord, "per_word", "the largest weight of each word, named in its label"},
       {HeatScale::kFixed, "fixed", "a given weight, the same for all pictures"}});
}

// Perceptually even colour maps: equal steps of a number look like equal steps, and a grey copy
// keeps their order.
enum class ColourMap { kInferno, kMagma, kPlasma, kViridis, kCividis, kGrey };
// The names of the colour maps.
constexpr auto enum_table(ColourMap) {
  return enum_rows<ColourMap>({{ColourMap::kInferno, "inferno", "black, red, yellow"},
                               {ColourMap::kMagma, "magma", "black, pink, white"},
                               {ColourMap::kPlasma, "plasma", "blue, pink, yellow"},
                               {ColourMap::kViridis, "viridis", "violet, green, yellow"},
                               {ColourMap::kCividis, "cividis", "blue, grey, yellow"},
                               {ColourMap::kGrey, "grey", "black to white, for print"}});
}

// The 256 colours of a map, from cold to hot.
std::array<Colour, 256> colour_table(ColourMap map);

}  // namespace saccade

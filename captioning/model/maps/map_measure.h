// What is shown of a map: its weights, or numbers that are made of them. The JSON has the weights
// in any case.
#pragma once

#include "captioning/model/maps/attention_map.h"

namespace saccade {

enum class MapMeasure { kWeight, kRelative, kGated };
constexpr auto enum_table(MapMeasure) {
  return enum_rows<MapMeasure>(
      {{MapMeasure::kWeight, "weight", "the attention weights"},
       {MapMeasure::kRelative, "relative", "the weights divided by those of a uniform map"},
       {MapMeasure::kGated, "gated", "the weights times the word's gate"}});
}

// The map with its weights in a measure. A uniform map has equal weights on all cells that show
// some of the picture. Throws ShapeError for kGated where the map has no gate.
AttentionMap measured(AttentionMap map, MapMeasure measure);

}  // namespace saccade

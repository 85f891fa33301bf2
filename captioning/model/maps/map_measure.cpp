#include "captioning/model/maps/map_measure.h"

#include "core/base/error.h"

namespace saccade {

AttentionMap measured(AttentionMap map, MapMeasure measure) {
  if (measure == MapMeasure::kWeight) return map;
  SACCADE_CHECK(measure == MapMeasure::kRelative || map.gate, "[map measure] a map has no gate");
  const auto factor = measure == MapMeasure::kRelative ? static_cast<float>(unmasked_cells(map))
                                                       : static_cast<float>(*map.gate);
  for (float& weight : map.weights) weight *= factor;
  return map;
}

}  // namespace saccade

#include "captioning/maps/maps_config.h"

#include "core/config/fields.h"

namespace saccade {

void MapsConfig::fields(Section& v) {
  v.field("step", step,
          "shows for a word the map of this many steps later; a word's own map is made before the "
          "word is known",
          between(0, 8))
      .unless("attention.score", "none")
      .only_with("decoder.image", "attention");
}

}  // namespace saccade

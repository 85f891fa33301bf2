// The section `maps`: the step of the decoder whose map is shown as the map of a word.
#pragma once

#include <cstdint>

#include "core/config/constraint.h"

namespace saccade {

struct MapsConfig {
  std::int64_t step = 0;

  template <class V>
  void fields(V& v) {
    v.field(
         "step", step,
         "shows for a word the map of this many steps later; a word's own map is made before the "
         "word is known",
         between(0, 8))
        .unless("attention.score", "none")
        .only_with("decoder.image", "attention");
  }
};

}  // namespace saccade

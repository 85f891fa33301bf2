// The section `maps`: the step of the decoder whose map is shown as the map of a word.
#pragma once

#include <cstdint>

namespace saccade {

class Section;

struct MapsConfig {
  std::int64_t step = 0;

  void fields(Section& v);
};

}  // namespace saccade

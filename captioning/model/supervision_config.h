// The section `objective.supervision`: the supervision of attention.
#pragma once

#include <cstdint>

namespace saccade {

class Section;

// The options of a localizer, which learns from captions alone where the words of a picture are
// (word_localizer.h).
struct LocalizerConfig {
  double weight = 0;
  std::int64_t hidden = 128;
  double sharpness = 3;
  double smoothing = 0;
  double centre = 0;

  void fields(Section& v);
};

struct SupervisionConfig {
  double boxes = 0;
  LocalizerConfig localizer;

  bool any() const { return boxes > 0 || localizer.weight > 0; }

  void fields(Section& v);
};

}  // namespace saccade

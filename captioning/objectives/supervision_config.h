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
  double prophet = 0;
  double cyclical = 0;
  std::int64_t step = 0;

  // any_map(): whether a loss compares a map with a target. any(): whether there is any
  // supervision.
  bool any_map() const { return boxes > 0 || localizer.weight > 0 || prophet > 0; }
  bool any() const { return any_map() || cyclical > 0; }

  void fields(Section& v);
};

}  // namespace saccade

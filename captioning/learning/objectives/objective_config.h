// The section `objective`: what is minimised.
#pragma once

#include <cstdint>

#include "captioning/learning/objectives/coverage_config.h"
#include "captioning/learning/objectives/self_critical_config.h"
#include "core/config/ramp.h"

namespace saccade {

class Section;
struct SupervisionConfig;

struct ObjectiveConfig {
  double doubly_stochastic = 1;
  CoverageConfig coverage;
  double label_smoothing = 0;
  Ramp scheduled_sampling = Ramp::constant(0);
  SelfCriticalConfig self_critical;

  // `supervision` is a part of the section, and of ModelConfig.
  void fields(Section& v, SupervisionConfig& supervision);
};

}  // namespace saccade

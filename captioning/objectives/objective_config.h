// The section `objective`: what is minimised.
#pragma once

#include <cstdint>

#include "captioning/objectives/coverage_config.h"
#include "captioning/objectives/self_critical_config.h"
#include "captioning/objectives/supervision_config.h"
#include "core/config/ramp.h"

namespace saccade {

class Section;

struct ObjectiveConfig {
  double doubly_stochastic = 1;
  CoverageConfig coverage;
  double label_smoothing = 0;
  Ramp scheduled_sampling = Ramp::constant(0);
  SupervisionConfig supervision;
  SelfCriticalConfig self_critical;

  void fields(Section& v);
};

}  // namespace saccade

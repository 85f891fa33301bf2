// The section `objective`: what is minimised.
#pragma once

#include <cstdint>

#include "core/config/choices.h"
#include "core/config/constraint.h"
#include "core/config/self_critical_config.h"

namespace saccade {

struct ObjectiveConfig {
  ObjectiveKind type = ObjectiveKind::kCrossEntropy;
  double doubly_stochastic = 1;
  SelfCriticalConfig self_critical;

  template <class V>
  void fields(V& v) {
    v.field("type", type, "the training loss");
    v.field("doubly_stochastic", doubly_stochastic,
            "weight of sum_i (1 - sum_t alpha_ti)^2 an image; 0 = off", at_least(0));
    v.section("self_critical", self_critical,
              "a second stage: captions are drawn and rewarded (Rennie et al. 2017)");
  }
};

}  // namespace saccade

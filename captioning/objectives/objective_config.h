// The section `objective`: what is minimised.
#pragma once

#include <cstdint>

#include "captioning/objectives/coverage_config.h"
#include "captioning/objectives/self_critical_config.h"
#include "captioning/objectives/supervision_config.h"
#include "core/attention/scores/score_kind.h"
#include "core/config/constraint.h"
#include "core/config/ramp.h"

namespace saccade {

struct ObjectiveConfig {
  double doubly_stochastic = 1;
  CoverageConfig coverage;
  double label_smoothing = 0;
  Ramp scheduled_sampling = Ramp::constant(0);
  SupervisionConfig supervision;
  SelfCriticalConfig self_critical;

  template <class V>
  void fields(V& v) {
    v.retired("type", "cross_entropy");
    v.field("doubly_stochastic", doubly_stochastic,
            "weight of the penalty `coverage`, by default sum_i (1 - sum_t alpha_ti)^2 per "
            "caption; 0 = off",
            at_least(0));
    v.section("coverage", coverage, "what the penalty weighted by doubly_stochastic is")
        .unless("objective.doubly_stochastic", "0");
    v.field("label_smoothing", label_smoothing,
            "share of the target that is spread over all words (Szegedy et al. 2016); 0 = off",
            between_open_end(0, 1));
    v.field("scheduled_sampling", scheduled_sampling,
            "probability that the decoder reads a word that it drew itself (Bengio et al. 2015)",
            between(0, 1));
    v.section("supervision", supervision, "losses on where attention lies")
        .unless("attention.score", ScoreKind::kNone)
        .only_with("decoder.image", "attention");
    v.section("self_critical", self_critical,
              "a second stage: captions are drawn and rewarded (Rennie et al. 2017)")
        .unless("objective.self_critical.start", "null");
  }
};

}  // namespace saccade

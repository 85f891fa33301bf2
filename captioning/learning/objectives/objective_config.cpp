#include "captioning/learning/objectives/objective_config.h"

#include "captioning/model/supervision_config.h"
#include "core/config/fields.h"

namespace saccade {

void ObjectiveConfig::fields(Section& v, SupervisionConfig& supervision) {
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
      .unless("attention.score", "none")
      .only_with("decoder.image", "attention", "attention_and_pooled");
  v.section("self_critical", self_critical,
            "a second stage: captions are drawn and rewarded (Rennie et al. 2017)")
      .unless("objective.self_critical.start", "null");
}

}  // namespace saccade

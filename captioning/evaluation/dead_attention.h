// Whether a model's captions need its map: their scores with the map, and with another map in its
// place.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "captioning/evaluation/attention_health.h"

namespace saccade {

// What the same model scores with other weights on the same images.
struct AblatedScores {
  Ablation ablation = Ablation::kUniform;
  NamedScores scores;  // as judging_scores() has them
};

struct AttentionReport {
  Regime regime = Regime::kExpectation;
  AttentionHealth health;
  Index map_step = 0;                    // the step of the maps (search/later_maps.h)
  NamedScores own;                       // with the model's own weights, as judging_scores()
  std::vector<AblatedScores> ablations;  // empty where they were not requested
};

// The scores that a map is judged by, out of all: CIDEr, Bleu_4 and true_caption_rate where known.
NamedScores judging_scores(const NamedScores& all);

// Why the attention looks dead, in a line with its numbers; none if it does not. It does where
//   the better of the ablated scores lacks less than 2 % of the own one (true_caption_rate where
//   it is above 0, else CIDEr; an own score of 0 cannot fall and is not judged), or
//   more than 90 % of the maps are static, or more than 90 % uniform (attention_health.h).
std::optional<std::string> dead_attention(const AttentionReport& report);

}  // namespace saccade

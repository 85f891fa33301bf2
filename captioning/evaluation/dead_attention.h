// Whether a model's captions need its map: their scores with the map, and with another map in its
// place.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "captioning/evaluation/attention_health.h"
#include "captioning/search/search.h"

namespace saccade {

// The scores of the same model on the same images, with other weights.
struct AblatedScores {
  Ablation ablation = Ablation::kUniform;
  NamedScores scores;  // those that judging_scores() selects
};

struct AttentionReport {
  Regime regime = Regime::kExpectation;
  AttentionHealth health;
  Index map_step = 0;                    // the step of the maps (decoding/later_maps.h)
  NamedScores own;                       // with the model's own weights, selected likewise
  std::vector<AblatedScores> ablations;  // empty where they were not requested
};

// The scores that a map is judged by, out of all: CIDEr, Bleu_4 and, where it is known,
// true_caption_rate.
NamedScores judging_scores(const NamedScores& all);

// What CIDEr loses where the weights are shuffled over the regions, under the name that it has as a
// metric; none where this was not measured.
inline constexpr std::string_view kShuffledDrop = "CIDEr_shuffled_drop";
std::optional<double> shuffled_drop(const AttentionReport& report);

// Why the attention looks dead, in one line with its numbers; none if it does not look so. It does
// if
//   the better of the ablated scores is less than 2 % below the model's own (of true_caption_rate
//   where it is above 0, else of CIDEr; a score of 0 cannot fall and is not judged), or
//   more than 90 % of the maps are static (attention_health.h), or
//   the entropy has collapsed to that of uniform maps, or, where captions do not need the maps, to
//   that of maps on one cell.
// Entropy has collapsed where a reader who sees one region drawn for each word of a caption could
// not tell the maps from such maps in three of four cases: where from_uniform, or from_one_cell, is
// below 1/2 by more than the noise of the captions (the upper end of its one-sided 95 % interval).
// What entropy that is follows from the size of the maps and the number of words: of 10 words and
// 196 cells, about .99 is uniform; of 4 cells, .96.
std::optional<std::string> dead_attention(const AttentionReport& report);

// Where the entropy has collapsed, to whichever end and whatever captions need: in one line.
std::optional<std::string> collapsed_attention(const AttentionReport& report);

}  // namespace saccade

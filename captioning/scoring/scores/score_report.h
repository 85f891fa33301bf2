// Scores of captions as JSON and as tables.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "captioning/scoring/files/match.h"
#include "captioning/scoring/scores/caption_scores.h"
#include "captioning/scoring/scores/human.h"
#include "captioning/scoring/scores/judgements.h"
#include "captioning/scoring/statistics/bootstrap.h"

namespace saccade {

struct ScoreReport {
  const CaptionScores* scores = nullptr;
  std::string meteor_tables{};             // Meteor::tables(); may be empty
  std::vector<ScoreInterval> intervals{};  // one per metric, or none
  double level = 0.95;                     // of the intervals
};

// {"schema_version": 1, "n_images", "corpus": {"Bleu_1": ..., "METEOR", "ROUGE_L", "CIDEr",
// "CIDEr_plain", ...}, "captions": {"mean_length": ...}, "marks": [{"metrics", "reason"}],
// "meteor_tables", "intervals": {"level", "Bleu_1": [low, high], ...}}; the last three only where
// the report has them.
std::string score_json(const ScoreReport& report);
std::string score_table(const ScoreReport& report);

// [{"image_id", "Bleu_1": ..., ...}], one image per line, with the metrics of the corpus.
std::string per_image_json(const CaptionScores& scores, const MatchedCaptions& matched,
                           const CaptionFile& references);

// {"schema_version", "n_images", "left_out", "annotators", "corpus": {...}, "sd": {...}}
std::string human_json(const HumanScores& scores);
std::string human_table(const HumanScores& scores);

// {"schema_version", "n_judgements", "n_images", "replicates", "level", "best", "metrics":
// [{"metric", "tau_b", "tau_b_low", "tau_b_high", "tau_c", "tau_c_low", "tau_c_high",
// "correlation", "p_williams"}], "marks"}; what has no value is null.
std::string judgements_json(const Agreement& agreement);
std::string judgements_table(const Agreement& agreement);

}  // namespace saccade

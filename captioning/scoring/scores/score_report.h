// Scores of captions as text for a terminal and as JSON (experiments/README.md has the keys).
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

// The scores of the corpus and what is measured of the captions alone, as text and as JSON.
std::string score_table(const ScoreReport& report);
std::string score_json(const ScoreReport& report);

// [{"image_id", METRIC: score}], one image per line, with the metrics of the corpus.
std::string per_image_json(const CaptionScores& scores, const MatchedCaptions& matched,
                           const CaptionFile& references);

std::string human_table(const HumanScores& scores);
std::string human_json(const HumanScores& scores);

std::string judgements_table(const Agreement& agreement);
std::string judgements_json(const Agreement& agreement);

}  // namespace saccade

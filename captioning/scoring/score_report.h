// Scores of captions as JSON and as tables.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "captioning/scoring/caption_scores.h"
#include "captioning/scoring/human.h"
#include "captioning/scoring/judgements.h"
#include "captioning/scoring/match.h"
#include "captioning/statistics/bootstrap.h"
#include "captioning/statistics/randomisation.h"
#include "captioning/statistics/seeds.h"

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

// Two systems on the same images, compared by paired tests.
struct PairedReport {
  std::string a, b;  // names
  Index images = 0;
  Resampling resampling;
  std::vector<PairedDifference> differences;
  std::vector<RandomisationTest> randomisation;  // of the same metrics
};
// {"schema_version", "n_images", "a", "b", "replicates", "level", "seed", "metrics": [{"metric",
// "a", "b", "difference", "low", "high", "p_bootstrap", "p_randomisation", "exact"}]}
std::string paired_json(const PairedReport& report);
std::string paired_table(const PairedReport& report);

// Two arms of several runs each on the same images.
struct SeedReport {
  std::vector<std::string> a, b;  // names of the runs
  Index images = 0;
  Resampling resampling;
  std::vector<SeedSpread> spread_a, spread_b;
  std::vector<SeedDifference> differences;
};
// Like paired_json, with "mean_a", "sd_a", "mean_b", "sd_b", "standard_error", "low", "high"
// (bootstrap), "t_low", "t_high", "p_bootstrap", "p_t"; what has no value is null.
std::string seeds_json(const SeedReport& report);
std::string seeds_table(const SeedReport& report);

// {"schema_version", "n_images", "left_out", "annotators", "corpus": {...}, "sd": {...}}
std::string human_json(const HumanScores& scores);
std::string human_table(const HumanScores& scores);

// {"schema_version", "n_judgements", "metrics": [{"metric", "tau_b", "tau_c"}]}
std::string judgements_json(const std::vector<MetricAgreement>& agreement, std::size_t judgements);
std::string judgements_table(const std::vector<MetricAgreement>& agreement, std::size_t judgements);

}  // namespace saccade

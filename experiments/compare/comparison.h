// The results of a comparison: for every arm and seed the scores in each regime and the cost.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "captioning/scoring/statistics/image_statistics.h"
#include "captioning/study/evaluation/evaluate.h"
#include "experiments/compare/arms.h"
#include "experiments/compare/run_record.h"

namespace saccade {

struct RegimeScores {
  Regime regime = Regime::kExpectation;
  NamedScores corpus;
  std::vector<ImageStatistics> metrics;  // for those scores that can be resampled
  std::vector<ScoreMark> marks{};        // on scores that can say little
};

struct SeedResult {
  std::int64_t seed = 0;
  std::string error;  // empty where the run succeeded
  std::filesystem::path directory, checkpoint;
  Index updates = 0, parameters = 0;
  RunRecord record;
  std::map<std::string, double> best_validation;
  std::string images;  // images_digest() of those that were scored
  std::vector<RegimeScores> regimes;

  bool failed() const { return !error.empty(); }
};

// One trial of tuning: values that were tried for an arm before it was trained.
struct Trial {
  std::vector<std::pair<std::string, std::string>> values;  // config path and value
  double score = 0;   // train.best_metric on the validation images; NaN where the trial failed
  std::string error;  // why it failed, or empty
};

struct ArmResult {
  Arm arm;  // as it was trained
  std::vector<SeedResult> seeds;
  std::vector<Trial> trials;  // empty unless the arm was tuned
};

struct Comparison {
  std::string name, dataset;
  std::string meteor_tables{};  // Meteor::tables(); empty without METEOR
  Split split = Split::kTest;
  Index images = 0;
  std::vector<std::int64_t> seeds;
  Index jobs = 1;       // runs trained at the same time; with several they slow each other down
  std::string against;  // name of the arm against which the others are tested
  std::vector<ArmResult> arms;
  int signal = 0;       // that ended the study early; 0: none
  bool regimes = true;  // arms are models, decoded in regimes; else files of captions

  bool complete() const;  // no seed of an arm failed
  bool empty() const;     // every seed of every arm failed
};

// A value over the seeds of an arm that did not fail.
struct Spread {
  Index count = 0;
  double mean = 0;
  double deviation = 0;  // of the sample (n - 1); NaN for one seed
};
Spread spread_of(const std::vector<double>& values);

// One row of the table: an arm in a regime, with its metrics in the order of the report.
struct Row {
  const ArmResult* arm = nullptr;
  Regime regime = Regime::kExpectation;
  Index images = 0;  // that were scored
  std::vector<std::pair<std::string, Spread>> metrics;
  Spread updates, ms_per_update, captions_per_second, peak_memory;
  // RunRecord::estimator; empty where attention is trained without an estimator.
  std::vector<std::pair<std::string, Spread>> estimator;
  Index parameters = 0;
};
std::vector<Row> rows_of(const Comparison& comparison);

}  // namespace saccade

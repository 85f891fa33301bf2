// What a comparison found: of every arm and seed the scores in each regime and what it cost.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "captioning/evaluation/evaluate.h"
#include "captioning/statistics/image_statistics.h"
#include "experiments/compare/arms.h"
#include "experiments/compare/run_record.h"

namespace saccade {

struct RegimeScores {
  Regime regime = Regime::kExpectation;
  NamedScores corpus;
  std::vector<ImageStatistics> metrics;  // of those scores that can be resampled
};

struct SeedResult {
  std::int64_t seed = 0;
  std::string error;  // empty where all went well
  std::filesystem::path directory, checkpoint;
  Index updates = 0, parameters = 0;
  RunRecord record;
  std::map<std::string, double> best_validation;
  std::string images;  // dataset_digest of what was scored
  std::vector<RegimeScores> regimes;

  bool failed() const { return !error.empty(); }
};

// What an arm's own settings were chosen from before it was trained.
struct Trial {
  std::vector<std::pair<std::string, std::string>> values;  // config path and value
  double score = 0;   // of train.best_metric on the validation images; NaN where it failed
  std::string error;  // why it failed, or empty
};

struct ArmResult {
  Arm arm;  // as it was trained
  std::vector<SeedResult> seeds;
  std::vector<Trial> trials;  // of a tuned arm
};

struct Comparison {
  std::string name, dataset;
  Split split = Split::kTest;
  Index images = 0;
  std::vector<std::int64_t> seeds;
  Index jobs = 1;       // runs that trained at once; with several, times are not of quiet cores
  std::string against;  // name of the arm that the others are tested against
  std::vector<ArmResult> arms;

  bool complete() const;  // no seed of an arm failed
};

// A value over the seeds of an arm that went well.
struct Spread {
  Index count = 0;
  double mean = 0;
  double deviation = 0;  // of the sample (n - 1); NaN for one seed
};
Spread spread_of(const std::vector<double>& values);

// One row of the table: an arm in a regime. Metrics in the order in which they are reported.
struct Row {
  const ArmResult* arm = nullptr;
  Regime regime = Regime::kExpectation;
  std::vector<std::pair<std::string, Spread>> metrics;
  Spread updates, ms_per_update, captions_per_second, peak_memory;
  std::vector<std::pair<std::string, Spread>>
      estimator;  // RunRecord::estimator, where there is one
  Index parameters = 0;
};
std::vector<Row> rows_of(const Comparison& comparison);

}  // namespace saccade

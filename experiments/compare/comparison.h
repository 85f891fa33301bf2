// What a comparison found: of every arm and seed the scores in each regime and what it cost.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "captioning/evaluation/evaluate.h"
#include "experiments/compare/arms.h"
#include "experiments/run_reporter.h"

namespace saccade {

struct RegimeScores {
  Regime regime = Regime::kExpectation;
  NamedScores corpus;
};

struct SeedResult {
  std::int64_t seed = 0;
  std::string error;  // empty where all went well
  std::filesystem::path directory, checkpoint;
  Index updates = 0, parameters = 0;
  Telemetry cost;
  std::map<std::string, double> best_validation;
  std::vector<RegimeScores> regimes;

  bool failed() const { return !error.empty(); }
};

struct ArmResult {
  Arm arm;
  std::vector<SeedResult> seeds;
};

struct Comparison {
  std::string name, dataset;
  Split split = Split::kTest;
  Index images = 0;
  std::vector<std::int64_t> seeds;
  std::vector<ArmResult> arms;

  bool complete() const;  // no seed of an arm failed
};

// A value over the seeds of an arm that went well.
struct Spread {
  Index count = 0;
  double mean = 0;
  double deviation = 0;  // of the sample (n - 1); 0 for one seed
};
Spread spread_of(const std::vector<double>& values);

// One row of the table: an arm in a regime. Metrics in the order in which they are reported.
struct Row {
  const ArmResult* arm = nullptr;
  Regime regime = Regime::kExpectation;
  std::vector<std::pair<std::string, Spread>> metrics;
  Spread ms_per_update, peak_memory;
  Index parameters = 0;
};
std::vector<Row> rows_of(const Comparison& comparison);

}  // namespace saccade

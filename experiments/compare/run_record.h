// Reads from the metrics.jsonl of a training run how it ended, what it cost, and the statistics of
// its estimator.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "experiments/runs/run_reporter.h"

namespace saccade {

struct RunRecord {
  bool finished = false;  // reached its end; false where it was stopped or killed or still trains
  Telemetry cost;         // from the last line about an end
  // Means over the updates before the last validation; empty unless attention is trained with an
  // estimator.
  std::vector<std::pair<std::string, double>> estimator;
};

// Reads a metrics.jsonl; an empty record where the file does not exist. An incomplete line, which a
// killed run may leave, is skipped.
RunRecord read_run_record(const std::filesystem::path& metrics);

}  // namespace saccade

// What a training run left in its metrics.jsonl: how it ended, what it cost, how its estimator did.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "experiments/run_reporter.h"

namespace saccade {

struct RunRecord {
  bool finished = false;  // came to its end; false where it was stopped, killed or goes on
  Telemetry cost;         // of its last end
  // Means over the updates before the last validation, where attention is trained by an estimator.
  std::vector<std::pair<std::string, double>> estimator;
};

// Without the file, an empty record. A line that a kill cut off is passed over.
RunRecord read_run_record(const std::filesystem::path& metrics);

}  // namespace saccade

// What runs there are below a folder and how they stand, read from what they leave on disk.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/real.h"

namespace saccade {

enum class RunState {
  kTraining,   // a process holds it
  kFinished,   // reached its end, or stopped early because nothing improved
  kStopped,    // by a signal; --resume goes on
  kBrokenOff,  // killed, or the machine went down; --resume goes on
  kDiverged,
  kUnreadable,  // its config cannot be read
};
const char* run_state_name(RunState state);

struct RunSummary {
  std::filesystem::path directory;
  RunState state = RunState::kBrokenOff;
  std::string name, stop;  // of its config: the experiment, and when training ends
  Index updates = 0;
  double seconds = 0;          // of training
  std::string metric;          // train.best_metric
  std::optional<double> best;  // of the best validation so far
  std::string changed;         // when it last wrote: "2026-11-22 08:49:21", local time
};

// Every run at or below a folder (a directory with a config.yaml and a metrics.jsonl), those of
// comparisons too, in the order of their paths. Throws DataError where there is no such folder.
std::vector<RunSummary> find_runs(const std::filesystem::path& folder);

// A row a run; JSON: [{"directory", "state", "name", "stop", "updates", "seconds", "metric",
// "best", "changed"}], null where a run has no validation yet.
std::string runs_table(const std::vector<RunSummary>& runs);
std::string runs_json(const std::vector<RunSummary>& runs);

}  // namespace saccade

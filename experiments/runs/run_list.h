// Finds the runs below a folder and reads their states from the files that they wrote.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/enum_names.h"
#include "core/base/real.h"
#include "core/base/table.h"
#include "experiments/runs/metrics_log.h"

namespace saccade {

enum class RunState { kTraining, kFinished, kStopped, kBrokenOff, kDiverged, kUnreadable };
constexpr auto enum_table(RunState) {
  using enum RunState;
  return enum_rows<RunState>({
      {kTraining, "training", "a process is training it"},
      {kFinished, "finished", "reached its end, or stopped early because nothing improved"},
      {kStopped, "stopped", "a signal stopped it; --resume continues it"},
      {kBrokenOff, "broken off", "it was killed, or the machine went down; --resume continues it"},
      {kDiverged, "diverged", "the loss became infinite or NaN"},
      {kUnreadable, "unreadable", "its config or its checkpoint cannot be read"},
  });
}

struct RunSummary {
  std::filesystem::path directory;
  RunState state = RunState::kBrokenOff;
  std::string name, stop;  // from its config: name, and train.stop
  Index updates = 0;
  double seconds = 0;          // of training
  std::string metric;          // train.best_metric
  std::optional<double> best;  // of the best validation so far
  UnreadableLines unreadable;  // of its metrics.jsonl
  std::string changed;         // local time of its last record: "2026-11-22 08:49:21"
};

// All runs at or below a folder, those of comparisons included, in the order of their paths. A run
// is a directory with a config.yaml and a metrics.jsonl or, where the library trained it, which
// writes no log, a last checkpoint. Throws DataError where there is no such folder.
std::vector<RunSummary> find_runs(const std::filesystem::path& folder);

// A row for each run; `best` is nothing before the first validation.
Table table_of(const std::vector<RunSummary>& runs);

}  // namespace saccade

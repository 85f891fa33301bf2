// What runs there are below a folder and how they stand, read from what they leave on disk.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/enum_names.h"
#include "core/base/real.h"

namespace saccade {

enum class RunState { kTraining, kFinished, kStopped, kBrokenOff, kDiverged, kUnreadable };
constexpr auto enum_table(RunState) {
  using enum RunState;
  return enum_rows<RunState>({
      {kTraining, "training", "a process holds it"},
      {kFinished, "finished", "reached its end, or stopped early because nothing improved"},
      {kStopped, "stopped", "by a signal; --resume goes on"},
      {kBrokenOff, "broken off", "killed, or the machine went down; --resume goes on"},
      {kDiverged, "diverged", "the loss was no number any more"},
      {kUnreadable, "unreadable", "its config cannot be read"},
  });
}

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

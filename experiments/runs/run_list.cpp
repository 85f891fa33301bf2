#include "experiments/runs/run_list.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <ctime>

#include "captioning/learning/config/experiment_config.h"
#include "captioning/learning/runs/run_directory.h"
#include "captioning/learning/runs/stored_state.h"
#include "captioning/learning/training/trainer.h"
#include "captioning/scoring/metrics/metric_registry.h"
#include "core/base/error.h"
#include "core/config/config.h"
#include "core/io/checkpoint.h"
#include "experiments/process/progress.h"
#include "experiments/runs/metrics_log.h"

namespace saccade {

namespace fs = std::filesystem;

namespace {

constexpr const char* kConfig = "config.yaml";
constexpr const char* kMetrics = "metrics.jsonl";

std::string time_of(const fs::path& file) {
  struct stat info {};
  if (::stat(file.c_str(), &info) != 0) return "";
  std::tm local{};
  ::localtime_r(&info.st_mtime, &local);
  std::array<char, 32> text{};
  const std::size_t size = std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S", &local);
  return {text.data(), size};
}

// Reads a line of metrics.jsonl into the summary; the last line decides the state of the run.
void follow(const MetricsLine& line, RunSummary& run) {
  run.updates = line.count("update").value_or(run.updates);
  if (const auto seconds = line.numbers.find("seconds"); seconds != line.numbers.end())
    run.seconds = seconds->second;
  run.state = RunState::kBrokenOff;
  if (line.event == "diverged") run.state = RunState::kDiverged;
  if (line.event == "end") run.state = line.ends_run() ? RunState::kFinished : RunState::kStopped;
  const auto found = line.numbers.find(run.metric);
  if (line.event != "validation" || found == line.numbers.end()) return;
  if (!run.best || is_better(run.metric, found->second, *run.best)) run.best = found->second;
}

fs::path last_checkpoint(const fs::path& directory) {
  return checkpoint_folder(directory) / "last";
}

// Reads the state of a run without a log from its last checkpoint.
void follow_checkpoint(const fs::path& checkpoint, RunSummary& run) {
  try {
    const TrainingState state = read_state(load_archive(checkpoint));
    run.updates = state.update;
    run.seconds = state.seconds;
    run.state = state.finished ? RunState::kFinished : RunState::kStopped;
    if (const auto best = state.best.find(run.metric); best != state.best.end())
      run.best = best->second;
  } catch (const Error&) {
    run.state = RunState::kUnreadable;
  }
}

RunSummary summary_of(const fs::path& directory) {
  RunSummary run;
  run.directory = directory;
  std::error_code error;
  const bool logged = fs::is_regular_file(directory / kMetrics, error);
  run.changed = time_of(logged ? directory / kMetrics : last_checkpoint(directory));
  try {
    const ExperimentConfig config =
        load_config<ExperimentConfig>((directory / kConfig).string()).config;
    run.name = config.name;
    run.stop = to_string(config.train.stop);
    run.metric = config.train.best_metric;
  } catch (const Error&) {
    run.state = RunState::kUnreadable;
    return run;
  }
  if (logged)
    run.unreadable =
        read_metrics(directory / kMetrics, [&](const MetricsLine& line) { follow(line, run); });
  else
    follow_checkpoint(last_checkpoint(directory), run);
  if (is_held(directory)) run.state = RunState::kTraining;
  return run;
}

bool is_run(const fs::path& directory) {
  std::error_code error;
  return fs::is_regular_file(directory / kConfig, error) &&
         (fs::is_regular_file(directory / kMetrics, error) ||
          fs::is_regular_file(last_checkpoint(directory), error));
}

}  // namespace

std::vector<RunSummary> find_runs(const fs::path& folder) {
  std::error_code error;
  if (!fs::is_directory(folder, error))
    throw DataError(folder.string() +
                    ": no such folder; name a folder in which `saccade train --out` wrote runs");
  std::vector<fs::path> directories;
  if (is_run(folder)) directories.push_back(folder);
  const auto options = fs::directory_options::skip_permission_denied;
  for (auto entry = fs::recursive_directory_iterator(folder, options, error);
       !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    if (!entry->is_directory(error)) continue;
    if (is_run(entry->path())) {
      directories.push_back(entry->path());
      entry.disable_recursion_pending();
    }
  }
  std::sort(directories.begin(), directories.end());
  std::vector<RunSummary> runs;
  for (const fs::path& directory : directories) runs.push_back(summary_of(directory));
  return runs;
}

Table table_of(const std::vector<RunSummary>& runs) {
  Table table{.columns = {{.key = "directory", .label = "run"},
                          {.key = "name", .label = "experiment"},
                          {.key = "state"},
                          {.key = "updates"},
                          {.key = "stop", .label = "until"},
                          {.key = "metric"},
                          {.key = "best"},
                          {.key = "seconds", .label = "time"},
                          {.key = "unreadable_lines", .hidden = true},
                          {.key = "changed"}}};
  for (const RunSummary& run : runs)
    table.add({run.directory.string(), run.name, enum_name(run.state), run.updates, run.stop,
               Table::Cell(run.metric).show(metric_label(run.metric)), run.best,
               Table::Cell(run.seconds).show(duration_text(run.seconds)), run.unreadable.count,
               run.changed});
  return table;
}

}  // namespace saccade

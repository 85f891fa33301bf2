#include <iostream>
#include <memory>

#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/base/plain_text.h"
#include "experiments/commands/commands.h"
#include "experiments/process/log.h"
#include "experiments/runs/run_list.h"

namespace saccade {

namespace {

struct RunsOptions {
  std::string folder = "runs";
  bool json = false;
};

int run_runs(const RunsOptions& options) {
  const std::vector<RunSummary> runs = find_runs(options.folder);
  const Table table = table_of(runs);
  std::cout << (options.json ? json_text(rows_json(table)) : to_text(table)) << std::flush;
  for (const RunSummary& run : runs)
    if (const std::string text = run.unreadable.text(run.directory / "metrics.jsonl");
        !text.empty())
      log::warn(plain_text(text));
  if (runs.empty()) std::cerr << options.folder << ": there is no run in this directory\n";
  return static_cast<int>(ExitCode::kOk);
}

CommandRun bind_runs(Options& options) {
  const auto args = std::make_shared<RunsOptions>();
  options.argument("folder", args->folder,
                   "directory that is searched for runs, subdirectories included (default: runs)",
                   "DIR", Need::kOptional);
  options.flag("--json", args->json, "print a JSON array");
  return [args] { return run_runs(*args); };
}

}  // namespace

const Command kRunsCommand = {
    "runs", "list the runs below a directory with the state and the best score of each",
    "saccade runs runs", bind_runs};

}  // namespace saccade

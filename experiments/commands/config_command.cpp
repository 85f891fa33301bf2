#include "experiments/commands/config_command.h"

#include <iostream>
#include <memory>

#include "core/base/error.h"
#include "core/base/suggest.h"
#include "core/config/experiment_config.h"
#include "experiments/check_files.h"
#include "experiments/compare/arms.h"

namespace saccade {

namespace {

struct ConfigOptions {
  std::string action, file;
  std::vector<std::string> overrides;
};

int run_config(const ConfigOptions& options) {
  const std::vector<std::string> actions = {"show", "check"};
  const bool show = options.action == "show";
  if (!show && options.action != "check")
    throw UsageError("config can show or check a file, not '" + options.action + "'" +
                     did_you_mean(options.action, actions));
  LoadedConfig loaded = load_config<ExperimentConfig>(options.file, options.overrides);
  if (show) {
    settle(loaded);
    std::cout << print_config(loaded);
    return static_cast<int>(ExitCode::kOk);
  }
  const std::vector<Arm> arms = expand_arms(loaded);
  check_arms(arms);
  check_files(arms);
  std::cout << options.file << ": right";
  if (arms.size() > 1)
    std::cout << "; compares " << arms.size() << " arms with " << loaded.config.compare.seeds.size()
              << " seed" << (loaded.config.compare.seeds.size() == 1 ? "" : "s");
  std::cout << "\n";
  return static_cast<int>(ExitCode::kOk);
}

}  // namespace

CommandRun bind_config(Options& options) {
  const auto args = std::make_shared<ConfigOptions>();
  options.argument(
      "action", args->action,
      "show: print every value and where it comes from; check: find mistakes, and files "
      "that are not there",
      "show|check");
  options.argument("file", args->file, "experiment file (YAML)", "CONFIG");
  options.arguments("overrides", args->overrides, "values that replace those of the file",
                    "KEY.PATH=VALUE");
  return [args] { return run_config(*args); };
}

}  // namespace saccade

#include "experiments/commands/config_command.h"

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "core/base/error.h"
#include "core/base/suggest.h"
#include "core/config/experiment_config.h"
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
  const LoadedConfig loaded = load_config<ExperimentConfig>(options.file, options.overrides);
  if (show) {
    std::cout << print_config(loaded);
    return static_cast<int>(ExitCode::kOk);
  }
  const std::vector<Arm> arms = expand_arms(loaded);
  for (const Arm& arm : arms) resolved(arm.config.attention.hard);
  std::cout << options.file << ": right";
  if (arms.size() > 1)
    std::cout << "; compares " << arms.size() << " arms with " << loaded.config.compare.seeds.size()
              << " seed" << (loaded.config.compare.seeds.size() == 1 ? "" : "s");
  std::cout << "\n";
  return static_cast<int>(ExitCode::kOk);
}

}  // namespace

CommandRun bind_config(CLI::App& app) {
  const auto options = std::make_shared<ConfigOptions>();
  app.add_option("action", options->action,
                 "show: print every value and where it comes from; check: find mistakes")
      ->required()
      ->type_name("show|check");
  app.add_option("file", options->file, "experiment file (YAML)")->required()->type_name("CONFIG");
  app.add_option("overrides", options->overrides, "values that replace those of the file")
      ->type_name("KEY.PATH=VALUE");
  return [options] { return run_config(*options); };
}

}  // namespace saccade

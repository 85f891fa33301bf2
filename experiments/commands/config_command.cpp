#include "experiments/commands/config_command.h"

#include <iostream>
#include <memory>

#include "core/attention/make_attention.h"
#include "core/base/error.h"
#include "core/base/suggest.h"
#include "core/config/experiment_config.h"
#include "core/optim/schedule.h"
#include "experiments/compare/arms.h"

namespace saccade {

namespace {

struct ConfigOptions {
  std::string action, file;
  std::vector<std::string> overrides;
};

// Values that are right alone and wrong together; the parts know. Places of files are left to the
// commands that need them: a command line may still give them.
void check_parts(const ExperimentConfig& config) {
  resolved(config.attention.hard);
  ParameterStore unused;
  make_attention(config.attention, 1, 1, ParamScope(unused, "attention"));
  constexpr Index kEpoch = 1'000'000;  // updates; the data would tell
  const Stop& stop = config.train.stop;
  const Index total = stop.is_time()                     ? 0
                      : stop.unit == Stop::Unit::kEpochs ? stop.count * kEpoch
                                                         : stop.count;
  Schedule(config.optimizer, {.updates_per_epoch = kEpoch, .total = total});
}

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
  for (const Arm& arm : arms) check_parts(arm.config);
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
  options.argument("action", args->action,
                   "show: print every value and where it comes from; check: find mistakes",
                   "show|check");
  options.argument("file", args->file, "experiment file (YAML)", "CONFIG");
  options.arguments("overrides", args->overrides, "values that replace those of the file",
                    "KEY.PATH=VALUE");
  return [args] { return run_config(*args); };
}

}  // namespace saccade

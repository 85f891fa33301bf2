#include <iostream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "captioning/learning/config/experiment_config.h"
#include "captioning/learning/runs/check_config.h"
#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/base/suggest.h"
#include "experiments/commands/check_files.h"
#include "experiments/commands/commands.h"
#include "experiments/compare/arms.h"
#include "experiments/compare/judge_options.h"

namespace saccade {

namespace {

struct ConfigOptions {
  std::string action, file;
  std::vector<std::string> overrides;
  bool json = false;
};

using Json = nlohmann::ordered_json;

// Every value as it would be written in YAML, and where it was set.
Json values_json(const LoadedConfig& loaded) {
  std::map<std::string, std::string> own;
  for (const Difference& one : config_differences(ExperimentConfig(), loaded.config))
    own[one.path] = one.second;
  Json values = Json::array();
  for (const FieldInfo& field : describe_config<ExperimentConfig>()) {
    if (field.type == "section") continue;
    const auto found = own.find(field.path);
    values.push_back({{"path", field.path},
                      {"value", found == own.end() ? field.default_value : found->second},
                      {"origin", loaded.origins.of(field.path)}});
  }
  return {{"schema_version", 1}, {"values", values}};
}

// What is checked: the arms that `compare` would train, or the single run of `train`.
struct CheckedRuns {
  std::vector<Arm> arms;
  std::vector<std::int64_t> seeds;
  std::string refusal{};  // why `compare` refuses the file with these values; empty if it does not
};

// The arms of a file. Values of the command line that make two of them equal choose one experiment
// out of those of the file, as they do for `train`, which leaves the arms out. Equal arms of the
// file itself are a mistake.
CheckedRuns checked_runs(const LoadedConfig& loaded, const ConfigOptions& options) {
  try {
    return {.arms = expand_arms(loaded), .seeds = loaded.config.compare.seeds};
  } catch (const EqualArmsError& equal) {
    if (options.overrides.empty()) throw;
    expand_arms(load_config<ExperimentConfig>(options.file, {}));
    LoadedConfig alone = loaded;
    settle_alone(alone, false);
    const ExperimentConfig& config = alone.config;
    return {.arms = {{.name = config.name, .folder = {}, .values = {}, .config = config}},
            .seeds = {config.seed},
            .refusal = equal.what()};
  }
}

Json check_json(const std::string& file, const CheckedRuns& runs) {
  Json names = Json::array();
  for (const Arm& arm : runs.arms) names.push_back(arm.name);
  Json json = {{"schema_version", 1},
               {"file", file},
               {"right", true},
               {"arms", names},
               {"seeds", runs.seeds}};
  if (!runs.refusal.empty()) json["refused_by_compare"] = runs.refusal;
  return json;
}

int check(const LoadedConfig& loaded, const ConfigOptions& options) {
  const CheckedRuns runs = checked_runs(loaded, options);
  check_arms(runs.arms);
  // Whether boxes are given is not known: the command line may name them.
  study_options({}, loaded.config.compare, runs.arms, true);
  check_files(runs.arms);
  check_with_files(runs.arms);
  if (options.json) {
    std::cout << json_text(check_json(options.file, runs));
    return static_cast<int>(ExitCode::kOk);
  }
  std::cout << options.file << ": no mistakes";
  if (runs.arms.size() > 1)
    std::cout << "; compares " << runs.arms.size() << " arms with " << runs.seeds.size() << " seed"
              << (runs.seeds.size() == 1 ? "" : "s");
  if (!runs.refusal.empty())
    std::cout << " as a run of saccade train; saccade compare refuses it (" << runs.refusal << ")";
  std::cout << "\n";
  return static_cast<int>(ExitCode::kOk);
}

int run_config(const ConfigOptions& options) {
  const std::vector<std::string> actions = {"show", "check"};
  const bool show = options.action == "show";
  if (!show && options.action != "check")
    throw UsageError("config needs show or check before the file, not '" + options.action + "'" +
                     did_you_mean(options.action, actions));
  LoadedConfig loaded = load_config<ExperimentConfig>(options.file, options.overrides);
  if (show) {
    settle(loaded);
    if (options.json)
      std::cout << json_text(values_json(loaded));
    else
      std::cout << print_config(loaded);
    return static_cast<int>(ExitCode::kOk);
  }
  return check(loaded, options);
}

CommandRun bind_config(Options& options) {
  const auto args = std::make_shared<ConfigOptions>();
  options.argument(
      "action", args->action,
      "show: print every value and where it was set; check: report mistakes and files that do not "
      "exist",
      "show|check");
  options.argument("file", args->file, "experiment file (YAML)", "CONFIG");
  options.arguments("overrides", args->overrides, "values that replace those of the file",
                    "KEY.PATH=VALUE");
  options.flag("--json", args->json,
               "print a JSON object: with show every value and its origin, with check the arms and "
               "seeds");
  return [args] { return run_config(*args); };
}

}  // namespace

const Command kConfigCommand = {
    "config", "show every value of an experiment file, or check the file for mistakes",
    "saccade config show configs/quickstart.yaml train.batch=32", bind_config};

}  // namespace saccade

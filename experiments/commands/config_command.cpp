#include "experiments/commands/config_command.h"

#include <iostream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "captioning/config/experiment_config.h"
#include "core/base/error.h"
#include "core/base/suggest.h"
#include "experiments/commands/check_files.h"
#include "experiments/compare/arms.h"

namespace saccade {

namespace {

struct ConfigOptions {
  std::string action, file;
  std::vector<std::string> overrides;
  bool json = false;
};

using Json = nlohmann::ordered_json;

void print(const Json& json) {
  std::cout << json.dump(2, ' ', false, Json::error_handler_t::replace) << "\n";
}

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

Json check_json(const std::string& file, const std::vector<Arm>& arms,
                const std::vector<std::int64_t>& seeds) {
  Json names = Json::array();
  for (const Arm& arm : arms) names.push_back(arm.name);
  return {
      {"schema_version", 1}, {"file", file}, {"right", true}, {"arms", names}, {"seeds", seeds}};
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
      print(values_json(loaded));
    else
      std::cout << print_config(loaded);
    return static_cast<int>(ExitCode::kOk);
  }
  const std::vector<Arm> arms = expand_arms(loaded);
  check_arms(arms);
  check_files(arms);
  const std::vector<std::int64_t>& seeds = loaded.config.compare.seeds;
  if (options.json) {
    print(check_json(options.file, arms, seeds));
    return static_cast<int>(ExitCode::kOk);
  }
  std::cout << options.file << ": no mistakes";
  if (arms.size() > 1)
    std::cout << "; compares " << arms.size() << " arms with " << seeds.size() << " seed"
              << (seeds.size() == 1 ? "" : "s");
  std::cout << "\n";
  return static_cast<int>(ExitCode::kOk);
}

}  // namespace

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

}  // namespace saccade

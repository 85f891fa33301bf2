#include "experiments/commands/shown_models.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>

#include "captioning/learning/runs/named_models.h"
#include "captioning/learning/runs/run_directory.h"
#include "core/base/error.h"
#include "core/base/listing.h"
#include "core/base/shallow_json.h"
#include "core/base/whole_file.h"
#include "experiments/process/model_places.h"

namespace saccade {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

namespace {

constexpr const char* kComparison = "compare.json";

// The directory of an arm's run: below the comparison, which may have been moved since it was
// written, or else the recorded place of a run that was trained before the comparison.
fs::path seed_directory(const fs::path& comparison, const fs::path& recorded) {
  const fs::path own = comparison / recorded.parent_path().filename() / recorded.filename();
  std::error_code error;
  return fs::exists(own, error) ? own : recorded;
}

void add_arms(const fs::path& comparison, SeedsShown shown, ShownModels& wanted) {
  const fs::path file = comparison / kComparison;
  std::map<std::size_t, std::vector<std::string>> several;  // arms by their number of seeds
  try {
    const Json json = shallow_json(whole_file(file).value_or(""));
    for (const Json& arm : json.at("arms")) {
      ShownModel named{.name = arm.at("name")};
      for (const Json& seed : arm.at("seeds")) {
        const std::string label = str(named.name, ", seed ", seed.at("seed").get<Index>());
        if (seed.at("status") != "ok") {
          wanted.remarks.push_back(label + " failed and is not shown here.");
          wanted.failed.push_back(label);
          continue;
        }
        const fs::path directory =
            seed_directory(comparison, seed.at("directory").get<std::string>());
        if (shown == SeedsShown::kAll) {
          wanted.models.push_back({.name = label,
                                   .checkpoint = directory.string(),
                                   .directory = directory,
                                   .seeds = {{label, directory}},
                                   .seed = seed.at("seed").get<Index>()});
          continue;
        }
        if (named.seeds.empty()) named.directory = directory;
        named.seeds.emplace_back(label, directory);
      }
      if (named.seeds.empty()) continue;
      named.checkpoint = named.directory.string();
      if (named.seeds.size() > 1) several[named.seeds.size()].push_back(named.name);
      wanted.models.push_back(std::move(named));
    }
    for (const auto& [count, names] : several)
      wanted.remarks.push_back(
          str("For ", first_names(names), " the explorer shows the first of ", count,
              " seeds; the curves show all of them. With --seeds, saccade report shows every "
              "seed."));
  } catch (const Json::exception& error) {
    throw DataError(file.string() + ": is not a comparison that this program can read (" +
                    error.what() + "); run saccade compare again");
  }
}

void refuse_twice(const std::vector<ShownModel>& models) {
  for (auto model = models.begin(); model != models.end(); ++model) {
    const auto same = std::find_if(models.begin(), model, [&](const ShownModel& other) {
      return same_checkpoint(other.checkpoint, model->checkpoint);
    });
    if (same != model)
      throw UsageError(str(same->checkpoint, " and ", model->checkpoint,
                           " are the same checkpoint; name each model once"));
  }
}

// Adds their paths to the names of models, and of their curves, that would have the same name.
void tell_apart(std::vector<ShownModel>& models) {
  std::map<std::string, int> count;
  for (const ShownModel& model : models) ++count[model.name];
  for (ShownModel& model : models) {
    if (count[model.name] == 1) continue;
    model.name += " (" + model.checkpoint + ")";
    const bool alone = model.seeds.size() == 1;
    for (auto& [name, directory] : model.seeds)
      name += " (" + (alone ? model.checkpoint : directory.string()) + ")";
  }
}

}  // namespace

bool is_comparison(const fs::path& path) {
  std::error_code error;
  return fs::exists(path / kComparison, error);
}

bool stands_for_model(const std::string& given) {
  std::error_code error;
  return !fs::exists(given, error) && !error && may_name_model(given);
}

fs::path run_of(const fs::path& given) {
  std::error_code error;
  if (fs::is_directory(given, error)) {
    const fs::path whole = fs::absolute(given).lexically_normal();
    return whole.has_filename() ? whole : whole.parent_path();
  }
  const fs::path folder = fs::absolute(given).lexically_normal().parent_path();
  return folder.filename() == checkpoint_folder({}).filename() ? folder.parent_path() : fs::path();
}

std::string run_name(const fs::path& directory) {
  const std::string name = directory.filename().string(), mark = "seed-";
  const std::string arm = directory.parent_path().filename().string();
  if (!name.starts_with(mark) || arm.empty()) return name;
  return arm + ", seed " + name.substr(mark.size());
}

ShownModels shown_models(const std::vector<std::string>& names, SeedsShown seeds) {
  ShownModels wanted;
  for (const std::string& given : names) {
    if (is_comparison(given)) {
      add_arms(given, seeds, wanted);
      continue;
    }
    if (stands_for_model(given)) {
      wanted.models.push_back({.name = given,
                               .checkpoint = checkpoint_of(given).string(),
                               .directory = {},
                               .seeds = {{given, {}}}});
      continue;
    }
    const fs::path directory = run_of(given);
    const std::string name =
        directory.empty() ? fs::path(given).filename().string() : run_name(directory);
    wanted.models.push_back(
        {.name = name, .checkpoint = given, .directory = directory, .seeds = {{name, directory}}});
  }
  if (wanted.models.empty())
    throw DataError(
        names.front() +
        ": every arm of the comparison failed, so there is nothing to show; run saccade "
        "compare again");
  if (names.size() == 1 && is_comparison(names[0]))
    wanted.comparison = fs::path(names[0]) / kComparison;
  refuse_twice(wanted.models);
  tell_apart(wanted.models);
  return wanted;
}

}  // namespace saccade

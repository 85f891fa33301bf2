// The models that a person named for a page: runs, checkpoints, and the arms of comparisons.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace saccade {

// What is to be shown, before it is loaded.
struct ShownModel {
  std::string name;                 // the arm's or the run's; no two are the same
  std::string checkpoint;           // as the program takes it
  std::filesystem::path directory;  // of its run; empty where only a checkpoint is known
  std::vector<std::pair<std::string, std::filesystem::path>> seeds;  // names and directories
};

struct ShownModels {
  std::vector<ShownModel> models;
  std::vector<std::string> remarks;  // what a reader should know, a sentence each
  std::vector<std::string> failed;   // runs of comparisons that did not go well: "soft, seed 2"
  std::filesystem::path comparison;  // compare.json, where a comparison alone was named
};

// At least one model. Throws DataError where a comparison is none or no arm of it went well, and
// UsageError where a checkpoint is named twice.
ShownModels shown_models(const std::vector<std::string>& names);

// Whether a directory is that of a comparison.
bool is_comparison(const std::filesystem::path& path);

// The run that a checkpoint or a directory belongs to: `/a/run` of `/a/run`, `/a/run/` and
// `/a/run/checkpoints/last`; empty for a checkpoint elsewhere.
std::filesystem::path run_of(const std::filesystem::path& given);

// "first" of runs/first, "soft, seed 1" of both/soft/seed-1.
std::string run_name(const std::filesystem::path& directory);

}  // namespace saccade

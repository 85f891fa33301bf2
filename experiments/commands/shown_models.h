// The models that the command line names for a page: runs, checkpoints, and the arms of
// comparisons.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "experiments/report/report_model.h"

namespace saccade {

// Which runs of an arm are shown: that of its first seed, or all as models of their own.
enum class SeedsShown { kFirst, kAll };

struct ShownModels {
  std::vector<ShownModel> models;    // none is opened
  std::vector<std::string> remarks;  // what a reader should know, one sentence each
  std::vector<std::string> failed;   // runs of comparisons that failed: "soft, seed 2"
  std::filesystem::path comparison;  // compare.json, where only one comparison was named
};

// The models that these words of the command line stand for, at least one. `seeds` decides for the
// arms of comparisons. Throws DataError where a comparison cannot be read or all of its arms
// failed, UsageError where a checkpoint is named twice, and CheckpointError as checkpoint_of() does
// (model_places.h).
ShownModels shown_models(const std::vector<std::string>& names,
                         SeedsShown seeds = SeedsShown::kFirst);

// Whether this is the directory of a comparison.
bool is_comparison(const std::filesystem::path& path);

// Whether a word of the command line is the name of a model and not a path: no file or folder is
// called so.
bool stands_for_model(const std::string& given);

// The run to which a checkpoint or a directory belongs: `/a/run` for `/a/run`, `/a/run/` and
// `/a/run/checkpoints/last`; empty for a checkpoint elsewhere.
std::filesystem::path run_of(const std::filesystem::path& given);

// "first" for runs/first, "soft, seed 1" for both/soft/seed-1.
std::string run_name(const std::filesystem::path& directory);

}  // namespace saccade

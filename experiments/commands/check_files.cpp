#include "experiments/commands/check_files.h"

#include <filesystem>
#include <optional>
#include <set>

#include "captioning/data/data_places.h"
#include "captioning/runs/named_models.h"
#include "core/base/error.h"
#include "core/config/traits.h"
#include "experiments/process/log.h"
#include "experiments/process/model_places.h"
#include "vision/encoders/frozen_network.h"

namespace saccade {

namespace {

// Why the file that a config names cannot be used; none if it is there. A checkpoint may be named
// as a model.
std::optional<std::string> problem_of(const NamedFile& file) {
  std::error_code error;
  if (std::filesystem::exists(file.path, error) || error) return std::nullopt;
  if (file.key != "train.init_from" || !may_name_model(file.path)) return missing_text(file);
  try {
    checkpoint_of(file.path);
    return std::nullopt;
  } catch (const CheckpointError& unknown) {
    return str(file.key, ": ", unknown.what());
  }
}

}  // namespace

void check_files(const std::vector<Arm>& arms) {
  std::string missing;
  std::set<std::string> reported;
  std::vector<std::string> not_given;
  for (const Arm& arm : arms)
    for (const NamedFile& file : named_files(arm.config)) {
      if (file.path.empty() && file.needed_by.empty()) continue;
      const std::optional<std::string> problem =
          file.path.empty() ? std::nullopt : problem_of(file);
      if (!file.path.empty() && !problem) continue;
      if (!reported.insert(file.key + "=" + file.path).second) continue;
      if (problem)
        missing += (missing.empty() ? "" : "\n") + *problem;
      else
        not_given.push_back(str(file.key, " is not given and ", file.needed_by,
                                " needs it; give it in the file or on the command line"));
    }
  for (const std::string& line : not_given) log::warn(line);
  if (!missing.empty()) throw DataError(missing);
}

}  // namespace saccade

#include "experiments/commands/check_files.h"

#include <filesystem>
#include <set>

#include "captioning/data/data_places.h"
#include "captioning/named_models.h"
#include "core/base/error.h"
#include "core/config/traits.h"
#include "experiments/process/log.h"
#include "experiments/process/model_places.h"
#include "vision/encoders/frozen_network.h"

namespace saccade {

namespace {

// Whether a checkpoint is named as a model and not by its path.
bool is_model(const NamedFile& file) {
  if (file.key != "train.init_from" || !may_name_model(file.path)) return false;
  try {
    checkpoint_of(file.path);
    return true;
  } catch (const CheckpointError&) {
    return false;
  }
}

}  // namespace

void check_files(const std::vector<Arm>& arms) {
  std::string missing;
  std::set<std::string> reported;
  std::vector<std::string> not_given;
  for (const Arm& arm : arms)
    for (const NamedFile& file : named_files(arm.config)) {
      std::error_code error;
      if (file.path.empty() ? file.needed_by.empty()
                            : std::filesystem::exists(file.path, error) || error || is_model(file))
        continue;
      if (!reported.insert(file.key + "=" + file.path).second) continue;
      if (file.path.empty())
        not_given.push_back(str(file.key, " is not given and ", file.needed_by,
                                " needs it; give it in the file or on the command line"));
      else
        missing += (missing.empty() ? "" : "\n") + missing_text(file);
    }
  for (const std::string& line : not_given) log::warn(line);
  if (!missing.empty()) throw DataError(missing);
}

}  // namespace saccade

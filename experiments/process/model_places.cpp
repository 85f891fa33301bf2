#include "experiments/process/model_places.h"

#include <sstream>

#include "core/base/error.h"

namespace saccade {

namespace fs = std::filesystem;

namespace {

struct Places {
  std::string option;
  std::vector<fs::path> folders;
};
Places& places() {
  static Places instance;
  return instance;
}

}  // namespace

void set_model_places(const std::string& option, const std::string& environment) {
  Places set{.option = option, .folders = {}};
  std::error_code error;
  if (!option.empty()) {
    if (!fs::is_directory(option, error))
      throw DataError("--models " + option + ": no such folder");
    set.folders.emplace_back(option);
  }
  std::istringstream in(environment);
  for (std::string folder; std::getline(in, folder, ':');)
    if (!folder.empty()) set.folders.emplace_back(folder);
  places() = std::move(set);
}

const std::vector<fs::path>& given_model_folders() { return places().folders; }

std::vector<std::string> model_place_options() {
  if (places().option.empty()) return {};
  return {"--models", places().option};
}

}  // namespace saccade
